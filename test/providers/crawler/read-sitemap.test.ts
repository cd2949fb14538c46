import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import { readSitemap } from '#providers/crawler/read-sitemap.ts';

const origin = 'https://example.org';
const read = (text: string) => readSitemap(Buffer.from(text));

test('takes the addresses of sitemaps with a namespace prefix, and none of other namespaces', (t) => {
  const sitemap = `<?xml version="1.0"?><sm:urlset xmlns:sm="s" xmlns:image="i"><sm:url><sm:loc>${origin}/one</sm:loc>
    <image:image><image:loc>${origin}/picture</image:loc></image:image></sm:url></sm:urlset>`;
  t.deepEqual(read(sitemap), { pages: [`${origin}/one`], sitemaps: [], isCut: false });
  const index = `<a:sitemapindex xmlns:a="s"><a:sitemap><a:loc>${origin}/s1.xml</a:loc></a:sitemap></a:sitemapindex>`;
  t.deepEqual(read(index), { pages: [], sitemaps: [`${origin}/s1.xml`], isCut: false });
});

test('takes the pages of feeds in RSS and Atom, without those that are no entries', (t) => {
  const rss = `<rss version="2.0" xmlns:atom="a"><channel><link>${origin}/site</link><atom:link href="${origin}/rss"/>
    <item><title>One</title><link>${origin}/one</link><guid>${origin}/guid</guid></item><item><link>${origin}/two</link></item>
    <image><link>${origin}/after</link></image></channel></rss>`;
  const atom = `<feed xmlns="a"><link href="${origin}/site"/>
    <entry><link rel="self" href="${origin}/self"/><link href="${origin}/one"/></entry>
    <entry><link rel="alternate" type="text/html" href="${origin}/two"></link></entry></feed>`;
  for (const feed of [rss, atom]) t.deepEqual(read(feed).pages, [`${origin}/one`, `${origin}/two`]);
});

test('other XML is unreadable, and a page in the place of a sitemap has no addresses', (t) => {
  for (const text of ['<error><code>NoSuchKey</code></error>', '<?xml version="1.0"?>', '<rdf:RDF/>']) {
    t.is(t.throws(() => read(text), { instanceOf: AppError })?.code, 'unreadable', text);
  }
  for (const text of ['<!DOCTYPE html><title>Not found</title><a href="/x">x</a>', '<HTML><body><link href="/x">']) {
    t.deepEqual(read(text), { pages: [], sitemaps: [], isCut: false }, text);
  }
});
