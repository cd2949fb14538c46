import test from 'ava';
import { urlForDisplay } from '#security/url-for-display.ts';

test('credentials, query and fragment are left out', (t) => {
  t.is(urlForDisplay('https://me:pw@example.com:8443/a/b.pdf?sig=abc#frag'), 'https://example.com:8443/a/b.pdf');
  t.is(urlForDisplay(new URL('http://[::1]/x?y')), 'http://[::1]/x');
});

test('what has no host shows its scheme only, and what is no URL shows nothing', (t) => {
  t.is(urlForDisplay('data:text/plain,secret'), 'data:…');
  t.is(urlForDisplay('file:///etc/passwd'), 'file:…');
  t.is(urlForDisplay('token=abc'), '(not a URL)');
});

test('a long URL is cut', (t) => {
  t.is(urlForDisplay(`https://example.com/${'a'.repeat(1000)}`).length, 300);
});
