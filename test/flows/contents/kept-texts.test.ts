import { readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { CreateChunksResponse } from '#domain/records/chunk.ts';
import { Collection } from '#domain/records/collection.ts';
import { pdf } from '#test/support/fixtures/documents.ts';
import { idsOf, longText, startFlow, type Flow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';
import { testStack } from '#test/support/harness/stack.ts';

/** Makes a document too large for the row of its blob. */
const LONG_TITLE = 'Stones '.repeat(700);

/** Returns the path of the stored file of a content. */
async function fileOf(flow: Flow, id: string): Promise<string> {
  const { content_hash: hash } = await flow.content(id);
  const folder = testStack().environment['LOCI_BLOB_DIR'] ?? '';
  const place = join(folder, flow.workspaceId, hash?.slice(0, 2) ?? '');
  const name = (await readdir(place)).find((one) => one.startsWith(hash ?? ' '));
  return join(place, name ?? '');
}

/** Moves the file away, so that it cannot be read, and returns a function that restores it. */
async function hide(path: string): Promise<() => Promise<void>> {
  await stat(path);
  await rename(path, `${path}.hidden`);
  return () => rename(`${path}.hidden`, path);
}

const create = (flow: Flow, json: object) =>
  flow.api.post('/chunks/create', CreateChunksResponse, { json, status: 202 });

test('an extracted text is split and embedded again without its file', async (t) => {
  const flow = await startFlow();
  // The line ends differ from those of the extracted text, so that file and text are different blobs.
  const file = new File([longText(30).replaceAll('\n', '\r\n')], 'record.txt');
  const [id] = idsOf(await flow.upload(['file', file]));
  const before = await flow.chunks(id);
  await hide(await fileOf(flow, id));
  await create(flow, { content_id: id });
  const after = await until(
    () => flow.chunks(id),
    (chunks) => chunks.every(({ id: chunk }) => !before.some((old) => old.id === chunk)),
  );
  t.deepEqual(
    after.map(({ content, meta_data, embedding }) => ({ content, meta_data, embedding })),
    before.map(({ content, meta_data, embedding }) => ({ content, meta_data, embedding })),
  );
  t.like(await flow.reach(id, 'ready'), { status: 'ready', status_message: null });
});

test('another collection reuses the extracted text with its pages, in chunks for its own embedder', async (t) => {
  const flow = await startFlow();
  const pages = ['First of basalt.', 'Second of granite.', 'Third of gneiss.'].map((text) => [{ text }]);
  const [id] = idsOf(await flow.upload(['file', new File([pdf(pages, { title: LONG_TITLE })], 'stones.pdf')]));
  const json = { name: 'another' };
  const { id: collectionId } = await flow.api.post('/collections', Collection, { json, status: 201 });
  const other = await startFlow({ key: { key: flow.key, workspaceId: flow.workspaceId }, collectionId });
  await hide(await fileOf(flow, id));
  await create(flow, { content_id: id, collection_id: collectionId });
  const found = await until(
    () => other.search('granite', { search_type: 'keyword' }),
    (results) => results.length > 0,
  );
  t.is(found[0]?.content_id, id);
  const pagesIn = async (where: Flow) =>
    (await where.chunks(id)).map(({ content, meta_data: { page } }) => [content, page]);
  t.deepEqual(await pagesIn(other), await pagesIn(flow));
});

test('the file is read again when a reader is requested, or when another reader extracted the text', async (t) => {
  const flow = await startFlow();
  const [id] = idsOf(
    await flow.upload(['file', new File(['Some words\r\nabout flint.\r\n'.repeat(300)], 'flint.txt')]),
  );
  const restore = await hide(await fileOf(flow, id));
  for (const reader of ['native', 'text']) {
    await create(flow, { content_id: id, reader });
    const failed = await until(
      () => flow.content(id),
      ({ status }) => status === 'failed',
    );
    t.regex(failed.status_message ?? '', /upload it again|gone/i);
  }
  await restore();
  await create(flow, { content_id: id, reader: 'text' });
  t.is((await flow.reach(id, 'ready')).config['reader'], 'text');
});
