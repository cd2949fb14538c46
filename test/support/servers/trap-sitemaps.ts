import { gzipSync } from 'node:zlib';
import { htmlPage } from './site-server.ts';
import type { AddTrap, TrapPages } from './trap-types.ts';

/** The sitemaps listed in robots.txt. */
export const TRAP_SITEMAPS = ['index.xml', 'circle.xml', 'bomb.xml.gz', 'absent.xml', 'moved.xml', 'moving.xml'].map(
  (name) => `/maps/${name}`,
);

/** Adds a sitemap index, a compressed sitemap with a page that nothing links to, and broken or malicious sitemaps. */
export function addSitemaps(add: AddTrap, pages: TrapPages): void {
  const located = (host: string | undefined, paths: readonly string[], as: 'url' | 'sitemap') =>
    paths.map((path) => `<${as}><loc>http://${host}${path}</loc></${as}>`).join('');
  add('/only-in-the-sitemap', htmlPage('an island'));
  pages['/listed/secret'] = htmlPage('listed, and not allowed');
  const index =
    (...paths: string[]): TrapPages[string] =>
    (response, { headers }) =>
      void response.end(`<sitemapindex>${located(headers.host, paths, 'sitemap')}</sitemapindex>`);
  pages['/maps/index.xml'] = index('/maps/pages.xml.gz');
  pages['/maps/pages.xml.gz'] = (response, { headers }) => {
    const locations = located(headers.host, ['/only-in-the-sitemap', '/', '/listed/secret'], 'url');
    response.writeHead(200, { 'content-type': 'application/gzip' }).end(gzipSync(`<urlset>${locations}</urlset>`));
  };
  // A cycle of indexes, a decompression bomb, a missing sitemap, a moved one, and an endless redirect.
  pages['/maps/circle.xml'] = index('/maps/circle.xml', '/maps/index.xml', '/maps/deeper.xml');
  pages['/maps/deeper.xml'] = index('/maps/deepest.xml');
  pages['/maps/deepest.xml'] = index('/maps/deepest.xml');
  const bomb = gzipSync(Buffer.alloc(80 * 1024 * 1024, ' '));
  pages['/maps/bomb.xml.gz'] = (response) => void response.end(bomb);
  pages['/maps/moved.xml'] = (response) => void response.writeHead(301, { location: '/maps/lines.txt' }).end();
  add('/only-in-lines', htmlPage('another island'));
  pages['/maps/lines.txt'] = (response, { headers }) =>
    void response.end(`http://${headers.host}/only-in-lines\r\nhttp://elsewhere.example/\r\n`);
  pages['/maps/moving.xml'] = (response, { url }) => void response.writeHead(302, { location: `${url}?on` }).end();
}
