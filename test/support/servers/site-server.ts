import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DOWNLOAD_ADDRESS } from '#test/support/harness/stack.ts';

/** The response to a path of a site: an HTML page, or a handler. */
export type SitePage = string | ((response: ServerResponse, request: IncomingMessage) => void);

export type Site = {
  origin: string;
  /** The pages by path; may be changed at any time. */
  pages: Map<string, SitePage>;
  /** All requests, in order. */
  requests: { path: string; headers: IncomingMessage['headers']; status: number }[];
  /** How often a path, including its query, was requested. */
  asked: (path: string) => number;
  close: () => Promise<void>;
};

/** Starts a site at the one local address that the running stack may download from. Unknown paths answer 404. */
export async function startSite(pages: Readonly<Record<string, SitePage>>): Promise<Site> {
  const site: Omit<Site, 'origin' | 'close'> = {
    pages: new Map(Object.entries(pages)),
    requests: [],
    asked: (path) => site.requests.filter((request) => request.path === path).length,
  };
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const entry = { path, headers: request.headers, status: 0 };
    site.requests.push(entry);
    response.once('close', () => (entry.status = response.statusCode));
    const page = site.pages.get(path) ?? site.pages.get(path.split('?')[0] ?? '');
    if (page === undefined) response.writeHead(404).end();
    else if (typeof page === 'string')
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
    else page(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, DOWNLOAD_ADDRESS, resolve));
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { ...site, origin: `http://${DOWNLOAD_ADDRESS}:${port}`, close };
}

/** A page with a title, a sentence about it and links. */
export function htmlPage(title: string, links: readonly string[] = [], head = ''): string {
  const anchors = links.map((link) => `<li><a href="${link}">${link}</a></li>`).join('\n');
  return `<!doctype html><html><head><title>${title}</title>${head}</head>
<body><nav><a href="/">Home</a></nav><main><h1>${title}</h1><p>Everything that is known about ${title}.</p><ul>${anchors}</ul></main></body></html>`;
}
