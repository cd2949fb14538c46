import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { htmlPage, startSite, type Site, type SitePage } from './site-server.ts';
import { addSitemaps, TRAP_SITEMAPS } from './trap-sitemaps.ts';
import { addSessions, addTypes, type AddTrap, type TrapPages } from './trap-types.ts';

export type TrapSiteOptions = {
  /** The number of ordinary pages, in sections of fifty. */
  articles: number;
  /** The maximum number of links from the start page that the crawl follows. */
  maxDepth: number;
  /** The maximum number of pages of one path that differ in their query. */
  queriesOfPath: number;
};

export type TrapSite = Site & {
  /** Paths that must become contents, with their final status. */
  expected: Map<string, 'ready' | 'failed'>;
  /** Paths that must not be requested. */
  forbidden: string[];
  /** Another site, which must not be requested. */
  elsewhere: Site;
};

const SECTION = 50;
const NAMES = ['heron', 'quartz', 'lantern', 'walnut', 'glacier', 'violin', 'saffron', 'anchor', 'beacon', 'cobalt'];

/**
 * Starts a site with sections and articles that link to one another, and with the traps that crawlers meet on the web. Each
 * page is added together with its expected status.
 */
export async function startTrapSite(options: TrapSiteOptions): Promise<TrapSite> {
  const elsewhere = await startSite({ '/': htmlPage('elsewhere') });
  const expected: TrapSite['expected'] = new Map();
  const pages: TrapPages = {};
  const add = (path: string, page: SitePage, status: 'ready' | 'failed' = 'ready') => {
    pages[path] = page;
    expected.set(path, status);
  };
  const hubs = [
    ...addArticles(add, options),
    ...addLoops(add, pages, options),
    ...addRedirects(add, pages, elsewhere),
    ...addRules(add, pages),
    ...addTwins(add, pages),
    ...addBroken(add),
    ...addTypes(add, pages),
    ...addSessions(add),
  ];
  add('/', htmlPage('start', [...hubs, `${elsewhere.origin}/`, 'mailto:a@example.org']));
  addSitemaps(add, pages);
  const site = await startSite(pages);
  site.pages.set('/robots.txt', redirect('/about/robots.txt'));
  site.pages.set('/about/robots.txt', robotsOf(site.origin));
  const forbidden = ['/private/diary', '/listed/secret', '/not-followed', '/from-nofollow', '/image.png', '/style.css'];
  const close = async () => void (await Promise.all([site.close(), elsewhere.close()]));
  return { ...site, expected, forbidden, elsewhere, close };
}

function addArticles(add: AddTrap, { articles }: TrapSiteOptions): string[] {
  const sections = Math.ceil(articles / SECTION);
  for (let section = 0; section < sections; section += 1) {
    const first = section * SECTION;
    const own = Array.from({ length: Math.min(SECTION, articles - first) }, (_, index) => `/article/${first + index}`);
    add(`/section/${section}`, htmlPage(`section ${section}`, own));
    for (const [index, path] of own.entries()) {
      const number = first + index;
      const title = `article ${number} of the ${NAMES[number % 10]} and the ${NAMES[Math.floor(number / 10) % 10]}`;
      const spellings = [
        `/article/${(number + 1) % articles}?utm_source=next`,
        `/section/${section}#top`,
        `/?fbclid=${number}`,
      ];
      add(path, htmlPage(title, spellings));
    }
  }
  return Array.from({ length: sections }, (_, section) => `/section/${section}`);
}

/** Endless calendars by query and endless archives by path, of which the crawl reaches a limited number. */
function addLoops(add: AddTrap, pages: TrapPages, { maxDepth, queriesOfPath }: TrapSiteOptions): string[] {
  const calendar: SitePage = (response, request) => {
    const month = Number(URL.parse(request.url ?? '', 'http://x')?.searchParams.get('month') ?? 0);
    html(response, htmlPage(`month ${month}`, [`/calendar?month=${month - 1}`, `/calendar?month=${month + 1}`]));
  };
  const reach = Math.min(maxDepth - 1, Math.floor((queriesOfPath - 1) / 2));
  for (let month = -reach; month <= reach; month += 1) add(`/calendar?month=${month}`, calendar);
  pages['/calendar'] = calendar;
  let deeper = '/archive';
  for (let depth = 1; depth <= maxDepth; depth += 1) {
    add(deeper, htmlPage(`archive at ${depth}`, [`${deeper}/more`]));
    deeper += '/more';
  }
  pages[deeper] = htmlPage('too deep');
  return ['/calendar?month=0', '/archive'];
}

function addRedirects(add: AddTrap, pages: TrapPages, elsewhere: Site): string[] {
  for (let hop = 0; hop < 3; hop += 1) pages[`/moved/${hop}`] = redirect(`/moved/${hop + 1}`);
  add('/moved/3', htmlPage('the end of a chain of redirects'));
  for (let hop = 0; hop < 9; hop += 1) pages[`/far/${hop}`] = redirect(`/far/${hop + 1}`);
  pages['/far/9'] = htmlPage('too far');
  pages['/circle/a'] = redirect('/circle/b');
  pages['/circle/b'] = redirect('/circle/a');
  pages['/away'] = redirect(`${elsewhere.origin}/`);
  pages['/to-private'] = redirect('/private/diary');
  return ['/moved/0', '/far/0', '/circle/a', '/away', '/to-private'];
}

/** Rules for robots in robots.txt, in a page, in a header and at a link. */
function addRules(add: AddTrap, pages: TrapPages): string[] {
  pages['/private/diary'] = htmlPage('a diary');
  add('/private/open', htmlPage('an open page among private ones'));
  pages['/listed'] = htmlPage('a list', ['/from-list'], '<meta name="robots" content="noindex">');
  add('/from-list', htmlPage('found on a list that is not taken itself'));
  pages['/tagged'] = (response) => {
    response.setHeader('x-robots-tag', 'noindex, nofollow');
    html(response, htmlPage('tagged', ['/from-nofollow']));
  };
  add('/quiet', htmlPage('quiet', ['/from-nofollow'], '<meta name="robots" content="nofollow">'));
  pages['/from-nofollow'] = htmlPage('behind nofollow');
  add('/comments', `${htmlPage('comments')}<a rel="ugc nofollow" href="/not-followed">spam</a>`);
  pages['/not-followed'] = htmlPage('spam');
  return ['/private/diary', '/private/open', '/listed', '/tagged', '/quiet', '/comments'];
}

/** The same page under several URLs, with canonical links. */
function addTwins(add: AddTrap, pages: TrapPages): string[] {
  const canonical = (to: string) => `<link rel="canonical" href="${to}">`;
  add('/shop', htmlPage('a shop', ['/shop?sort=price', '/shop?sort=name'], canonical('/shop')));
  // The canonical page is linked from its copy only.
  pages['/copy'] = htmlPage('a copy', [], canonical('/original'));
  add('/original', htmlPage('an original', [], canonical('/original')));
  // The canonical page does not exist, so the copy is kept.
  add('/orphan', htmlPage('a copy of nothing', [], canonical('/was-never-there')));
  add('/was-never-there', (response) => void response.writeHead(404).end(), 'failed');
  return ['/shop', '/copy', '/orphan', '/shop?sort=name&utm_campaign=x'];
}

function addBroken(add: AddTrap): string[] {
  add('/gone', (response) => void response.writeHead(410).end(), 'failed');
  add('/error', (response) => void response.writeHead(500).end('no'), 'failed');
  add('/login', (response) => void response.writeHead(403).end('no'), 'failed');
  add('/hangs', () => undefined, 'failed');
  add('/late', (response) => void setTimeout(() => html(response, htmlPage('late')), 1_500).unref());
  const cut: SitePage = (response) => {
    const headers = { 'content-type': 'text/html', 'content-length': '5000' };
    response.writeHead(200, headers).write('<p>and then', () => response.destroy());
  };
  add('/cut', cut, 'failed');
  add('/huge', (response) => html(response, `<p>${'x'.repeat(3 * 1024 * 1024)}`), 'failed');
  const packed = gzipSync(Buffer.alloc(64 * 1024 * 1024, 32));
  const bomb: SitePage = (response) =>
    void response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(packed);
  add('/bomb', bomb, 'failed');
  const visits = { count: 0 };
  add('/busy', (response) => {
    visits.count += 1;
    if (visits.count === 1) response.writeHead(503).end();
    else html(response, htmlPage('busy once'));
  });
  // So deep that a reader that built a tree of it would fail.
  add('/deep-markup', `${htmlPage('nested', ['/behind-markup'])}${'<div>'.repeat(50_000)}`, 'ready');
  add('/behind-markup', htmlPage('behind markup'));
  return ['/gone', '/error', '/login', '/hangs', '/late', '/cut', '/huge', '/bomb', '/busy', '/deep-markup'];
}

function robotsOf(origin: string): SitePage {
  const rules = [
    'User-agent: *',
    'Disallow: /',
    '',
    'User-agent: Loci',
    'Disallow: /private/',
    'Allow: /private/open',
    'Disallow: /listed/',
    ...TRAP_SITEMAPS.map((path) => `Sitemap: ${origin}${path}`),
  ];
  return (response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end(rules.join('\n'));
}

function html(response: ServerResponse, text: string): void {
  response.writeHead(response.statusCode, { 'content-type': 'text/html; charset=utf-8' }).end(text);
}

function redirect(to: string): SitePage {
  return (response) => void response.writeHead(302, { location: to }).end();
}
