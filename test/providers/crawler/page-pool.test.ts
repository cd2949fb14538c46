import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import { createPagePool, type PagePool } from '#providers/crawler/page-pool.ts';
import type { PageTaskResult, SiteRules } from '#providers/crawler/page-task.ts';

const origin = 'https://example.org';
const open: SiteRules = { origin, robots: '' };
const SIZE = { processes: 1, memoryBytes: 384 * 1024 * 1024 };
const work = { signal: new AbortController().signal, share: 'w' };

let folder: string;
let pool: PagePool;
test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loci-test-pages-'));
  pool = createPagePool({ ...SIZE, timeoutMs: 60_000, workFolder: folder });
});
test.after.always(async () => {
  await pool.close();
  await rm(folder, { recursive: true, force: true });
});

const page = (html: string, rules = open, url = `${origin}/a/`) =>
  pool.inspect(Buffer.from(html), { kind: 'page', url, charset: null, rules }, work);
const paths = ({ links }: PageTaskResult) => links.map(({ url }) => url.replace(origin, ''));

test('finds every link of a page to its own site once, relative to its base URL', async (t) => {
  const found = await page(`<base href="/b/"><a href="x">1</a><a href="x#top">2</a><area href="/y">
    <link rel="next" href="?page=2"><meta http-equiv="refresh" content="5; url='z'"><a href="https://example.com/">3</a>
    <a href="mailto:a@b.c">4</a><a rel="nofollow" href="/no">5</a><a href="/picture.JPG">6</a><a href="http://example.org/">7</a>
    <a href="report.pdf">8</a><a href="/wiki/Node.js">10</a><a href="/wiki/File:Harbour.jpg">11</a><!-- <a href="/comment">9</a> --><script>"<a href='/script'>"</script>`);
  t.deepEqual(paths(found), [
    '/b/x',
    '/y',
    '/b/?page=2',
    '/b/z',
    '/b/report.pdf',
    '/wiki/Node.js',
    '/wiki/File:Harbour.jpg',
  ]);
  t.like(found, { isIndexable: true, isFollowable: true, canonical: null });
});

test('reads noindex, nofollow and the canonical URL of a page', async (t) => {
  t.like(await page('<meta name="ROBOTS" content="NoIndex, follow">'), { isIndexable: false, isFollowable: true });
  for (const content of ['noindex nofollow', 'noindex;nofollow', ' noarchive ;noindex,\nnofollow ']) {
    t.like(
      await page(`<meta name="robots" content="${content}">`),
      { isIndexable: false, isFollowable: false },
      content,
    );
  }
  t.like(await page('<meta name="loci" content="none">'), { isIndexable: false, isFollowable: false });
  t.like(await page('<meta name="otherbot" content="noindex">'), { isIndexable: true });
  const { canonical } = await page('<link rel="canonical" href="/original?utm_source=x">');
  t.is(canonical?.url, `${origin}/original`);
  t.is((await page('<link rel="canonical" href="https://example.com/">')).canonical, null);
});

test('changes the fingerprint with the text of a page, not with each response', async (t) => {
  const html = (visit: string, says: { text?: string; href?: string; level?: string } = {}) =>
    `<title>A page</title><meta name="csrf" content="${visit}"><style>.${visit}{}</style><link rel="stylesheet" href="/s.css?${visit}">
     <!-- served ${visit} --><body id="${visit}" class="c-${visit}"><h${says.level ?? 1}>A page</h${says.level ?? 1}>
     <p>${says.text ?? 'It says this.'}</p><form><input type="hidden" value="${visit}"><input type="checkbox" value="${visit}"><button value="${visit}">Send ${visit}</button></form>
     <a data-id="${visit}" href="${says.href ?? '/other'}">more</a><img src="/i.png?${visit}" alt="a picture"><script nonce="${visit}">${visit}</script>`;
  const fingerprint = async (text: string) => (await page(text)).fingerprint;
  const first = await fingerprint(html('one'));
  t.regex(first ?? '', /^[0-9a-f]{64}$/);
  t.is(await fingerprint(html('two')), first);
  const others = [
    html('one', { text: 'It says that.' }),
    html('one', { href: '/another' }),
    html('one', { level: '2' }),
    html('one').replace('a picture', 'another picture'),
    html('one').replace('<p>', '<p style="display: none">'),
    html('one').replace('<p>', '<p aria-hidden="true">'),
    html('one').replace('<p>', '<p role="banner">'),
    html('one').replace('type="checkbox"', 'type="checkbox" checked'),
    html('one').replace('<p>', '<p role="checkbox" aria-checked="true">'),
    html('one').replace('<p>', '<p role="checkbox" aria-checked="false">'),
    html('one').replace('<p>', '<p class="language-js">'),
    html('one').replace('<title>A', '<title>The'),
    `${html('one')}<meta name="robots" content="nofollow">`,
    html('one').replace('/s.css?one"', '/s.css?one"><link rel="next" href="/2"'),
  ];
  const found = await Promise.all(others.map(fingerprint));
  t.is(new Set([first, ...found]).size, others.length + 1);
  t.is(
    await fingerprint('<a href="x"></a>'.repeat(6_000)),
    null,
    'of a page that is not read to its end nothing is said',
  );
});

test('reads robots.txt as in RFC 9309: the group for Loci before the general one, longest rule, wildcards', async (t) => {
  const robots = [
    'User-agent: *',
    'Disallow: /',
    'Crawl-delay: 7',
    'User-agent: Loci',
    'Disallow: /private/ # not here',
    'Allow: /private/open',
    'Disallow: /*.php$',
    'Crawl-delay: 2.5',
    'Sitemap: /maps/one.xml',
    'Sitemap: https://example.com/two.xml',
  ].join('\r\n');
  const rules = { origin, robots };
  const found = await page(
    ['/', '/private/x', '/private/open/x', '/a.php', '/a.php5'].map((path) => `<a href="${path}">`).join(''),
    rules,
  );
  t.deepEqual(
    found.links.filter(({ isAllowed }) => !isAllowed).map(({ url }) => url.replace(origin, '')),
    ['/private/x', '/a.php'],
  );
  const read = await pool.inspect(null, { kind: 'robots', links: [], rules }, work);
  t.is(read.delayS, 2.5);
  t.deepEqual(
    read.sitemaps.map(({ url }) => url),
    [`${origin}/maps/one.xml`],
  );
});

test('does not end a group of robots.txt at a line that is no rule', async (t) => {
  const robots =
    'User-agent: Loci\nSitemap: /map.xml\nHost: example.org\nUser-agent: other\nDisallow: /private\n\nUser-agent: *\nDisallow: /';
  const found = await page('<a href="/open"><a href="/private">', { origin, robots });
  t.deepEqual(
    found.links.map(({ isAllowed }) => isAllowed),
    [true, false],
  );
  const read = await pool.inspect(null, { kind: 'robots', links: ['/private/start'], rules: { origin, robots } }, work);
  t.deepEqual([read.links.map(({ isAllowed }) => isAllowed), read.sitemaps.length], [[false], 1]);
});

test('reads sitemaps as XML, text and gzip, and rejects anything else', async (t) => {
  const sitemap = (bytes: Uint8Array) =>
    pool.inspect(bytes, { kind: 'sitemap', url: `${origin}/sitemap.xml`, most: 50_000, rules: open }, work);
  const xml = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><urlset>
    <url><loc> ${origin}/one?a=1&amp;b=2 </loc><image:loc>${origin}/picture</image:loc></url>
    <url><loc><![CDATA[${origin}/two]]></loc></url><url><loc>&b;</loc></url><url><loc>https://example.com/</loc></url></urlset>`;
  t.deepEqual(paths(await sitemap(gzipSync(xml))).slice(0, 2), ['/one?a=1&b=2', '/two']);
  t.deepEqual(paths(await sitemap(Buffer.from(`${origin}/one\r\n${origin}/two\n`))), ['/one', '/two']);
  const index = await sitemap(
    Buffer.from(`<sitemapindex><sitemap><loc>${origin}/s1.xml.gz</loc></sitemap></sitemapindex>`),
  );
  t.deepEqual([index.links.length, index.sitemaps.map(({ url }) => url)], [0, [`${origin}/s1.xml.gz`]]);
  const bomb = gzipSync(Buffer.alloc(80 * 1024 * 1024, ' '));
  const error = await t.throwsAsync(sitemap(bomb), { instanceOf: AppError });
  t.is(error?.code, 'unreadable');
});

test('says of links beyond a limit that they were left out, and counts only links to pages and documents', async (t) => {
  const pictures = Array.from({ length: 1_000 }, (_, index) => `<a href="/${index}.jpg">`).join('');
  const album = await page(`${pictures}<a href="/real">`);
  t.deepEqual([paths(album), album.isCut], [['/real'], false]);
  const links = (count: number) => Array.from({ length: count }, (_, index) => `<a href="/${index}">`).join('');
  const cuts = (found: PageTaskResult) => [found.links.length, found.isCut];
  t.deepEqual(cuts(await page(`${links(1_000)}<a href="/0">`)), [1_000, false]);
  t.deepEqual(cuts(await page(links(1_001))), [1_000, true]);
  t.deepEqual(cuts(await page('<a href="/x">'.repeat(5_001))), [1, true]);
  t.deepEqual(cuts(await page(`<a href="/x"></a>${'<div>'.repeat(6_000)}`)), [1, true]);
  const sitemap = (lines: readonly string[], most = 50_000, rules = open) =>
    pool.inspect(Buffer.from(lines.join('\n')), { kind: 'sitemap', url: `${origin}/map`, most, rules }, work);
  const addresses = Array.from({ length: 50_001 }, (_, index) => `${origin}/${index}`);
  t.deepEqual(cuts(await sitemap(addresses)), [50_000, true]);
  t.deepEqual(cuts(await sitemap([...addresses.slice(0, 50_000), ''])), [50_000, false]);
  t.deepEqual(cuts(await sitemap(addresses.slice(0, 7), 7)), [7, false]);
  t.deepEqual(cuts(await sitemap(addresses.slice(0, 8), 7)), [7, true]);
  // Those that robots.txt disallows use up no room: 1, and 10 to 19.
  const rules = { origin, robots: 'User-agent: *\nDisallow: /1' };
  t.deepEqual(cuts(await sitemap(addresses.slice(0, 20), 9, rules)), [20, false]);
  const entries = (tag: string, count: number) =>
    addresses.slice(0, count).map((address) => `<${tag}><loc>${address}</loc></${tag}>`);
  t.deepEqual(cuts(await sitemap(['<urlset>', ...entries('url', 50_001)])), [50_000, true]);
  const index = await sitemap(['<sitemapindex>', ...entries('sitemap', 1_001)]);
  t.deepEqual([index.sitemaps.length, index.isCut], [1_000, true]);
  const partly = await sitemap(['<sitemapindex>', ...entries('sitemap', 1_200)], 0, rules);
  t.deepEqual(
    [partly.sitemaps.length, partly.isCut],
    [889, false],
    'without /1, /10 to /19, /100 to /199 and /1000 on',
  );
});

test('bounds the cost of hostile responses', async (t) => {
  t.is((await page('<a href="/x">'.repeat(300_000))).links.length, 1);
  t.is((await page(Array.from({ length: 20_000 }, (_, index) => `<a href="/${index}">`).join(''))).links.length, 1_000);
  const sitemap = (bytes: Uint8Array) =>
    pool.inspect(bytes, { kind: 'sitemap', url: `${origin}/sitemap.xml`, most: 50_000, rules: open }, work);
  const long = Array.from({ length: 20_000 }, (_, index) => `${origin}/${index}${'x'.repeat(2_000)}`);
  const { length } = (await sitemap(gzipSync(long.join('\n')))).links;
  t.true(length > 1_000 && length < 3_000, `${length} long addresses`);
  t.is((await sitemap(gzipSync(`${origin}/a${' '.repeat(40 * 1024 * 1024)}\n${origin}/b`))).links.length, 2);
  t.deepEqual(paths(await page(`<a href="/before"></a>${'<div>'.repeat(1_000_000)}<a href="/deep">`)), ['/before']);
});

test('a robots.txt that is expensive for every page neither holds up other workspaces nor takes long', async (t) => {
  const shared = createPagePool({ ...SIZE, processes: 2, timeoutMs: 60_000, workFolder: folder });
  t.teardown(() => shared.close());
  const rules = Array.from({ length: 20_000 }, (_, index) => `Disallow: /*${index}*x*y$`).join('\n');
  const robots = `User-agent: *\n${rules}`;
  const links = Array.from({ length: 1_000 }, (_, index) => `<a href="/${index}${'x'.repeat(200)}">`).join('');
  const look = (html: string, site: SiteRules, share: string) => {
    const payload = { kind: 'page', url: `${origin}/`, charset: null, rules: site } as const;
    return shared.inspect(Buffer.from(html), payload, { ...work, share });
  };
  const ended: string[] = [];
  const hostile = [1, 2, 3].map(async () => {
    const error = await t.throwsAsync(look(links, { origin, robots }, 'hostile'), { instanceOf: AppError });
    ended.push('hostile');
    return error;
  });
  const other = look('<a href="/x">', open, 'other').then(() => ended.push('other'));
  const errors = await Promise.all(hostile);
  await other;
  t.deepEqual(ended, ['other', 'hostile', 'hostile', 'hostile']);
  for (const error of errors) {
    t.is(error?.code, 'read_timeout');
    t.regex(error?.message ?? '', /robots\.txt of its site/);
    t.regex(String(error?.cause), /4 s of processor time/);
  }
});

test('gives up a robots.txt that costs too much, and reads the next response in another process', async (t) => {
  const impatient = createPagePool({ ...SIZE, timeoutMs: 5_000, workFolder: folder });
  t.teardown(() => impatient.close());
  // So many groups and rules that a parser which keeps them all would need gigabytes.
  const robots = `${'User-agent: a\n'.repeat(20_000)}${'Disallow: /x\n'.repeat(18_000)}`;
  const look = impatient.inspect(null, { kind: 'robots', links: [], rules: { origin, robots } }, work);
  const error = await t.throwsAsync(look, { instanceOf: AppError });
  t.true(['read_memory_limit', 'reader_crashed', 'read_timeout'].includes(error?.code ?? ''), error?.code);
  const payload = { kind: 'page', url: `${origin}/`, charset: null, rules: open } as const;
  t.deepEqual(paths(await impatient.inspect(Buffer.from('<a href="/after">'), payload, work)), ['/after']);
});
