import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Entries, Flow } from '#test/support/harness/flow.ts';
import { DOWNLOAD_ADDRESS } from '#test/support/harness/stack.ts';
import { CANARIES } from './canaries.ts';

const { url_path, url_query, download } = CANARIES;

/** Uploads URLs: one that exists, one that is missing, and one with a forbidden address. */
export async function playDownloads(flow: Flow, words: Entries): Promise<void> {
  const server = createServer((request, response) =>
    request.url?.includes('absent')
      ? response.writeHead(404).end(download)
      : response.writeHead(200, { 'content-type': 'text/plain' }).end(`A ${download}.`),
  );
  await new Promise<void>((resolve) => server.listen(0, DOWNLOAD_ADDRESS, resolve));
  try {
    const { port } = server.address() as AddressInfo; // a TCP server that listens has one
    const urls = ['there', 'absent'].map(
      (path) => `http://${DOWNLOAD_ADDRESS}:${port}/${url_path}/${path}?${url_query}=1`,
    );
    const refused = `http://127.0.0.1:${port}/${url_path}?${url_query}=1`;
    await flow.upload(['urls', JSON.stringify([...urls, refused])], ['content_type', 'url'], ...words);
  } finally {
    server.close();
  }
}
