import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { downloadContents } from '#activities/uploads/download-contents.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { FairSlots } from '#domain/fair-slots.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import { createEgress } from '#security/egress/egress.ts';
import { query } from '#store/postgres.ts';
import { addContents, makePlace, type Place } from '#test/support/harness/content-runs.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';
import { DOWNLOAD_ADDRESS } from '#test/support/harness/stack.ts';

/** A server that begins to answer and never ends, but for `/text` and for `/busy`, which is busy once. Counts its requests. */
async function openEndlessServer(t: ExecutionContext) {
  const arrivals: number[] = [];
  const server = createServer((request, response): void => {
    arrivals.push(performance.now());
    if (request.url === '/busy' && arrivals.length === 1) {
      response.writeHead(429, { 'retry-after': '1' }).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/plain' });
    if (request.url !== '/endless') response.end('A text.');
    else response.write('A text');
  });
  server.listen(0, DOWNLOAD_ADDRESS);
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return { url: `http://${DOWNLOAD_ADDRESS}:${port}/endless`, server, arrivals, requests: () => arrivals.length };
}

const STEP = { attempt: 1, signal: new AbortController().signal, progress: { chunks: 0, ready: 0 } };

/** A worker with two places, of which one workspace uses one, and its database. Downloads use no other service of a worker. */
async function openWorker(t: ExecutionContext) {
  const { services, database } = await openOwnServices(t, { temporal: 'away' });
  const places = new FairSlots(2, { maxPerShare: 1 });
  const downloads = { maxBytes: 1_000_000, totalTimeoutMs: 60_000, places };
  const egress = createEgress({ allow: [DOWNLOAD_ADDRESS] });
  return { worker: { ...services, egress, downloads } as unknown as WorkerServices, database };
}

/** Adds a URL to a collection. Returns its batch. */
async function addUrl(place: Place, url: string): Promise<Batch> {
  const { collectionId, runId, contentIds } = await addContents(place);
  const sql = `update contents set source = 'url', url = :url where id = any(:contentIds::uuid[])`;
  await query(place.database, sql, { url, contentIds });
  const { workspaceId } = place.scope;
  return { workspace_id: workspaceId, collection_id: collectionId, run_id: runId, content_ids: [...contentIds] };
}

test('the download of a content that is cancelled ends, and is not tried again', async (t) => {
  const { worker, database } = await openWorker(t);
  const place = await makePlace(database);
  const { url, server, requests } = await openEndlessServer(t);
  const batch = await addUrl(place, url);
  const asked = once(server, 'request');
  const downloading = downloadContents(worker, batch, STEP);
  await asked;
  await place.stores.runControl.cancel(place.scope, { contentIds: batch.content_ids });
  t.deepEqual(await downloading, { go_on: [], paused: [], more: [] });
  t.is(requests(), 1);
});

test('downloads of one workspace that do not end leave places for others', async (t) => {
  const { worker, database } = await openWorker(t);
  const [place, other] = [await makePlace(database), await makePlace(database)];
  const { url, server, requests } = await openEndlessServer(t);
  const [first, second] = [await addUrl(place, url), await addUrl(place, url)];
  const asked = once(server, 'request');
  const downloading = downloadContents(worker, first, STEP);
  await asked;
  t.like(await downloadContents(worker, second, STEP), { more: second.content_ids }, 'it gives its slot back');
  t.is(requests(), 1);
  const theirs = await addUrl(other, url.replace('endless', 'text'));
  t.like(await downloadContents(worker, theirs, STEP), { go_on: theirs.content_ids, more: [] });
  await place.stores.runControl.cancel(place.scope, { contentIds: first.content_ids });
  await downloading;
});

test('a server that is busy is asked again when it said', async (t) => {
  const { worker, database } = await openWorker(t);
  const { url, arrivals } = await openEndlessServer(t);
  const batch = await addUrl(await makePlace(database), url.replace('endless', 'busy'));
  t.like(await downloadContents(worker, batch, STEP), { go_on: batch.content_ids, more: [] });
  const [first = 0, second = 0, ...further] = arrivals;
  t.deepEqual(further, []);
  // A timer may be early by a fraction of a millisecond.
  t.true(second - first >= 999, `${second - first} ms between the requests`);
});
