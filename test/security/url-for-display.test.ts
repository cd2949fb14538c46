import test from 'ava';
import { urlForDisplay } from '#security/url-for-display.ts';

test('omits credentials, query and fragment', (t) => {
  t.is(urlForDisplay('https://me:pw@example.com:8443/a/b.pdf?sig=abc#frag'), 'https://example.com:8443/a/b.pdf');
  t.is(urlForDisplay(new URL('http://[::1]/x?y')), 'http://[::1]/x');
});

test('shows only the scheme of a URL without a host, and nothing of a text that is no URL', (t) => {
  t.is(urlForDisplay('data:text/plain,secret'), 'data:…');
  t.is(urlForDisplay('file:///etc/passwd'), 'file:…');
  t.is(urlForDisplay('token=abc'), '(not a URL)');
});

test('truncates a long URL', (t) => {
  t.is(urlForDisplay(`https://example.com/${'a'.repeat(1000)}`).length, 300);
});
