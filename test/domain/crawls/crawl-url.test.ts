import test from 'ava';
import { array, assert, constantFrom, oneof, property, webUrl } from 'fast-check';
import { crawlUrl, isSameSite, queriedPathHash, redirectTarget } from '#domain/crawls/crawl-url.ts';

const base = 'https://example.org/docs/start?x=1';
const url = (link: string) => crawlUrl(link, base)?.url ?? null;
const identity = (link: string) => crawlUrl(link, base)?.identity;

test('keeps a link as written, without tracking parameters and fragment', (t) => {
  t.is(url('next'), 'https://example.org/docs/next');
  t.is(url('../a b?q=ü#part'), 'https://example.org/a%20b?q=%C3%BC');
  t.is(url('?page=2&utm_source=mail&fbclid=1'), 'https://example.org/docs/start?page=2');
  t.is(url('/p?utm_medium=x'), 'https://example.org/p');
  t.is(url('/p;jsessionid=AB12?id=3'), 'https://example.org/p?id=3');
  t.is(url('//example.org:443/x'), 'https://example.org/x');
  t.is(url('/p?b=2&a=1&b=1'), 'https://example.org/p?b=2&a=1&b=1');
});

test('removes session ids under any name, and keeps parameters that may identify a page', (t) => {
  const session = 'k3v9c0d1e2f3a4b5c6d7e8f901';
  for (const name of ['PHPSESSID', 'sessionid', 'session_id', 'sid', 'osCsid', 'CFTOKEN']) {
    t.is(url(`/p?${name}=${session}&id=7`), 'https://example.org/p?id=7', name);
  }
  t.is(url(`/p;sid=${session}`), 'https://example.org/p');
  for (const query of [
    'sessionid=550e8400-e29b-41d4-a716-446655440000',
    'session_id=lit3py55t21z5v55vlm25s55',
    'sess_id=8237482734',
  ]) {
    t.is(url(`/p?${query}`), 'https://example.org/p', query);
  }
  for (const query of [
    'sid=42',
    's=summer',
    'session_id=12',
    'sessionid=keynote',
    'session_id=20261128',
    'sess_id=7',
    'sid=d9428888-122b-11e1-b85c-61cd3cbb3210',
    's=thelongestwordofalllanguages',
  ]) {
    t.is(url(`/p?${query}`), `https://example.org/p?${query}`);
  }
});

test('rejects URLs that are no web pages', (t) => {
  for (const link of [
    'mailto:a@example.org',
    'javascript:void(0)',
    'ftp://example.org/',
    'https://user@example.org/',
    'http://[',
    `/${'x'.repeat(5000)}`,
  ]) {
    t.is(url(link), null, link.slice(0, 30));
  }
});

test('normalizes spellings of one page to one URL, and keeps different pages apart', (t) => {
  t.is(identity('/p?b=2&a=1'), identity('/p?a=1&b=2'));
  t.is(identity('/%7Euser/%2f'), identity('/~user/%2F'));
  t.is(identity('/p?'), identity('/p#x'));
  t.not(identity('/p?b=2&b=1'), identity('/p?b=1&b=2'));
  t.not(identity('/p/'), identity('/p'));
  t.not(identity('/a%2Fb'), identity('/a/b'));
});

test('does not change a normalized URL', (t) => {
  const odd = array(
    constantFrom('?', '&', '=', '/', '..', ';sid=1', '%2f', '%7E', 'a', 'utm_x=1', '#', ' ', '\\', ':'),
  );
  const link = oneof(
    webUrl({ withQueryParameters: true, withFragments: true }),
    odd.map((pieces) => `http://a.aa/${pieces.join('')}`),
  );
  assert(
    property(link, (given) => {
      const once = crawlUrl(given);
      if (once === null) return true;
      const again = crawlUrl(once.url);
      return again?.url === once.url && again.identity === once.identity;
    }),
  );
  t.is(url('http://a.aa??'), 'http://a.aa/??');
  t.is(url('/a;sid=1/b;sid=2'), 'https://example.org/a/b');
  t.is(identity('/p?%62=2&a=1'), identity('/p?a=1&b=2'));
});

test('groups pages that differ only in their query by path', (t) => {
  const pathOf = (link: string) => {
    const found = crawlUrl(link, base);
    return found && queriedPathHash(found);
  };
  t.is(pathOf('/calendar?month=1'), pathOf('/calendar?month=2'));
  t.not(pathOf('/calendar?month=1'), pathOf('/other?month=1'));
  t.is(pathOf('/calendar'), null);
});

test('treats https and a www prefix as the same site, but not a downgrade to http', (t) => {
  const same = (a: string, b: string) => isSameSite(new URL(a), new URL(b));
  t.true(same('http://example.org/', 'https://www.example.org/start'));
  t.true(same('https://www.example.org/', 'https://example.org/'));
  t.false(same('https://example.org/', 'http://example.org/'));
  t.false(same('http://example.org/', 'http://example.com/'));
  t.false(same('http://example.org:8080/', 'http://example.org:8081/'));
});

test('a redirect from https to another page by http of the same host leads to https, and every other one where it says', (t) => {
  for (const [location, from, target] of [
    ['http://example.org/docs/', 'https://example.org/docs', 'https://example.org/docs/'],
    ['http://example.org:80/docs/', 'https://example.org/docs', 'https://example.org/docs/'],
    ['http://example.org:443/docs/', 'https://example.org/docs', 'https://example.org/docs/'],
    ['http://example.org:8443/docs/', 'https://example.org:8443/docs', 'https://example.org:8443/docs/'],
    ['/docs/', 'https://example.org/docs', 'https://example.org/docs/'],
    ['http://example.org:8080/docs/', 'https://example.org/docs', 'http://example.org:8080/docs/'],
    ['http://example.com/docs/', 'https://example.org/docs', 'http://example.com/docs/'],
    ['http://example.org/docs/', 'http://example.org/docs', 'http://example.org/docs/'],
    ['https://example.org/docs', 'http://example.org/docs', 'https://example.org/docs'],
    ['http://example.org/docs', 'https://example.org/docs', 'http://example.org/docs'],
    ['http://example.org/docs#install', 'https://example.org/docs', 'http://example.org/docs#install'],
    ['http://example.org/?a=2&b=1', 'https://example.org/?b=1&a=2', 'https://example.org/?a=2&b=1'],
    ['http://[', 'https://example.org/docs', null],
  ] as const) {
    t.is(redirectTarget(location, from), target, `${from} to ${location}`);
  }
});
