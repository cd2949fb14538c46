import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { downloadContents } from '#activities/uploads/download-contents.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { createEgress } from '#security/egress/egress.ts';
import { query } from '#store/postgres.ts';
import { addContents, makePlace } from '#test/support/harness/content-runs.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';
import { DOWNLOAD_ADDRESS } from '#test/support/harness/stack.ts';

/** A server that begins to answer and never ends. Counts its requests. */
async function openEndlessServer(t: ExecutionContext) {
  const server = createServer(
    (_request, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).write('a'),
  );
  let requests = 0;
  server.on('request', () => (requests += 1));
  server.listen(0, DOWNLOAD_ADDRESS);
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return { url: `http://${DOWNLOAD_ADDRESS}:${port}/endless`, server, requests: () => requests };
}

test('the download of a content that is cancelled ends, and is not tried again', async (t) => {
  const { services, database } = await openOwnServices(t, { temporal: 'away' });
  const place = await makePlace(database);
  const { url, server, requests } = await openEndlessServer(t);
  const run = await addContents(place);
  await query(database, `update contents set source = 'url', url = :url`, { url });
  const downloads = { maxBytes: 1_000_000, totalTimeoutMs: 15_000 };
  const egress = createEgress({ allow: [DOWNLOAD_ADDRESS] });
  // Downloads use no other service of a worker.
  const worker = { ...services, egress, downloads } as unknown as WorkerServices;
  const batch = {
    workspace_id: place.scope.workspaceId,
    collection_id: run.collectionId,
    run_id: run.runId,
    content_ids: [...run.contentIds],
  };
  const step = { attempt: 1, signal: new AbortController().signal, progress: { chunks: 0, ready: 0 } };
  const asked = once(server, 'request');
  const downloading = downloadContents(worker, batch, step);
  await asked;
  await place.stores.runControl.cancel(place.scope, { contentIds: run.contentIds });
  t.deepEqual(await downloading, { go_on: [], paused: [], more: [] });
  t.is(requests(), 1);
});
