import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { CreateChunksResponse } from '#domain/records/chunk.ts';
import { Collection } from '#domain/records/collection.ts';
import { idsOf, startFlow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';
import { DOWNLOAD_ADDRESS } from '#test/support/harness/stack.ts';

const external = (id: string) => ['metadata', JSON.stringify({ external_id: id })] as const;

test('chunks are created from the file of the URL that a content has by now', async (t) => {
  const server = createServer(({ url }, response) =>
    response.writeHead(200, { 'content-type': 'text/plain' }).end(`${url?.slice(1)} seams run west.`),
  );
  await new Promise<void>((resolve) => server.listen(0, DOWNLOAD_ADDRESS, resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  const flow = await startFlow();
  const json = { name: 'another' };
  const { id: another } = await flow.api.post('/collections', Collection, { json, status: 201 });
  for (const collectionId of [flow.collectionId, another]) {
    const send = (path: string, ingest: string) =>
      flow.upload(['urls', `http://${DOWNLOAD_ADDRESS}:${port}${path}`], external(collectionId), ['ingest', ingest]);
    const [id] = idsOf(await send('/tin', 'true'));
    t.like((await send('/zinc', 'false')).uploads[0], { content_id: id, replaced: true });
    const chunks = { content_id: id, collection_id: collectionId };
    await flow.api.post('/chunks/create', CreateChunksResponse, { json: chunks, status: 202 });
    const where = await startFlow({ key: { key: flow.key, workspaceId: flow.workspaceId }, collectionId });
    const isOwn = collectionId === flow.collectionId;
    // What its own collection has published of the URL before stays searchable until it is replaced.
    const found = await until(
      async () => (await where.search('seams', { search_type: 'keyword' })).map(({ content }) => content),
      (texts) => texts.length > 0 && !(isOwn && texts.includes('tin seams run west.')),
    );
    t.deepEqual(found, ['zinc seams run west.']);
    t.is(await (await flow.api.send(`/contents/${id}/file`)).text(), 'zinc seams run west.');
  }
});

test('a file that is sent again after a URL took its place becomes the content again', async (t) => {
  const flow = await startFlow();
  const sent = () => flow.upload(['file', new File(['Schist splits into sheets.'], 'schist')], external('schist'));
  const [id] = idsOf(await sent());
  // Nothing listens at this port.
  const url = `http://${DOWNLOAD_ADDRESS}:9/schist`;
  const items = JSON.stringify([{ external_id: 'schist', name: 'schist' }]);
  t.like((await flow.upload(['urls', url], ['items', items])).uploads[0], { content_id: id, status: 'failed' });
  t.like((await sent()).uploads[0], { content_id: id, replaced: true, source: 'file', status: 'ready' });
  t.is((await flow.search('schist', { filters: { source: 'file' } })).length, 1);
});
