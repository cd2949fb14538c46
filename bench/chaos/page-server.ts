import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DOWNLOAD_ADDRESS } from '#test/support/harness/stack.ts';
import type { Document } from './corpus.ts';

/** Serves documents on the only address from which the stack may download. */
export type PageServer = { offer(document: Document): string; close(): Promise<void> };

/** Starts the server on a free port. */
export async function startPageServer(): Promise<PageServer> {
  const pages = new Map<string, Document>();
  const server = createServer((request, response) => {
    const page = pages.get(request.url ?? '');
    if (page) response.writeHead(200, { 'content-type': page.mediaType }).end(page.bytes);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, DOWNLOAD_ADDRESS, resolve);
  });
  const { port } = server.address() as AddressInfo; // a listening TCP server has an address
  return {
    offer(document) {
      pages.set(`/${document.name}`, document);
      return `http://${DOWNLOAD_ADDRESS}:${port}/${document.name}`;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
