import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { z } from 'zod';
import { ChunkPage } from '#domain/records/chunk.ts';
import { Content, ContentChunksResponse } from '#domain/records/content.ts';
import { Deletion, DeletionAccepted } from '#domain/records/deletion.ts';
import { SearchResponse } from '#domain/records/search.ts';
import { UploadResponse } from '#domain/records/upload.ts';
import { formFor } from '#test/support/harness/api-client.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { checkFound } from './check-found.ts';
import { refusalOf } from './collection-commands.ts';
import {
  ABSENT,
  anyIndex,
  FORBIDDEN,
  modelCommand,
  assertRefused,
  assertSameRecords,
  walk,
  type Step,
} from './model-command.ts';
import { contentsOf, existing, pick, type KnownContent } from './world.ts';

export const WORDS = ['otter', 'harbour', 'lantern', 'quartz', 'meadow', 'violin'] as const;
export const someWords = fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 });
const ContentPage = ChunkPage.omit({ chunks: true }).extend({ data: z.array(Content) });
const metadata = fc.constantFrom<Record<string, unknown>>({}, { lang: 'en' }, { lang: 'fr', year: 2026 });

/** Uploads a text and waits until it is ready. The same text under the same name is a duplicate of the existing content. */
export async function uploadText(
  { world, api }: Step,
  input: { into: number; words: string[]; isSame: boolean; metadata: Record<string, unknown> },
): Promise<void> {
  const collection = pick(world.collections, input.into);
  if (!collection) return;
  const before = input.isSame ? lastUploadedTo({ world, api }, collection.record.id) : undefined;
  // A deleted content is not a duplicate: the text is accepted as a new content.
  const duplicate = before?.isDeleted === false ? before : undefined;
  const text = before?.text ?? `${input.words.join(' ')} ${(world.serial += 1)}`;
  const name = before?.record.name ?? `note ${world.serial}.txt`;
  const body = formFor(collection.record.id, [
    ['content', text],
    ['label', name],
    ['metadata', JSON.stringify(input.metadata)],
  ]);
  if (refusalOf(collection)) return assertRefused(api, '/upload', { method: 'POST', body, as: FORBIDDEN });
  const upload = await api.post('/upload', UploadResponse, { body, status: 202 });
  const [item] = upload.uploads;
  assert.ok(item && upload.uploads.length === 1 && upload.errors.length === 0, 'one text is accepted');
  assert.deepEqual([item.duplicate, item.name], [duplicate !== undefined, name]);
  const shown = await waitUntilSynced({ world, api }, item.content_id);
  const sent = { name, metadata: input.metadata, collection_id: collection.record.id, size: Buffer.byteLength(text) };
  const content_hash = createHash('sha256').update(text).digest('hex');
  const known = duplicate ?? { record: { ...shown, ...sent, content_hash }, text, isDeleted: false };
  if (!duplicate) world.contents.push(known);
  // Empty metadata of a duplicate changes nothing.
  else if (Object.keys(input.metadata).length > 0) duplicate.record.metadata = input.metadata;
  assertSameRecords([shown], [known.record], 'what was uploaded');
}

/** The content uploaded last into a collection, even if it has been deleted. */
function lastUploadedTo({ world }: Step, collectionId: string): KnownContent | undefined {
  return world.contents.findLast(({ record }) => record.collection_id === collectionId);
}

/** Waits until the content is ready and the index has its current metadata. */
async function waitUntilSynced({ api }: Step, id: string): Promise<Content> {
  return eventually(`content ${id} is ready and synced`, async () => {
    const content = await api.get(`/contents/${id}`, Content);
    return content.status === 'ready' && content.sync_status === 'synced' && content;
  });
}

const getContent = modelCommand('getContent', anyIndex, async ({ world, api }, at) => {
  const known = pick(world.contents, at);
  if (!known) return;
  const path = `/contents/${known.record.id}`;
  const chunksPath = `${path}/chunks?collection_id=${known.record.collection_id}`;
  if (known.isDeleted) {
    for (const gone of [path, `${path}/file`, chunksPath]) await assertRefused(api, gone, { as: ABSENT });
    return;
  }
  assertSameRecords([await api.get(path, Content)], [known.record], 'a content');
  assert.equal(await (await api.send(`${path}/file`)).text(), known.text);
  const { chunks, total_chunks } = await api.get(chunksPath, ContentChunksResponse);
  assert.deepEqual([chunks.map(({ content }) => content), total_chunks], [[known.text], 1]);
  assert.deepEqual(chunks[0]?.filters, known.record.metadata);
});

const updateContent = modelCommand(
  'updateContent',
  fc.record({
    at: anyIndex,
    fields: fc.record(
      { description: fc.constantFrom(null, 'read twice'), definition: fc.constantFrom(null, 'a thing'), metadata },
      { requiredKeys: [] },
    ),
  }),
  async (step, { at, fields }) => {
    const known = pick(step.world.contents, at);
    if (!known) return;
    const path = `/contents/${known.record.id}`;
    const change = { method: 'PATCH', json: fields };
    const as = known.isDeleted ? ABSENT : refusalOf(collectionOf(step, known));
    if (as) return assertRefused(step.api, path, { ...change, as });
    const shown = await step.api.get(path, Content, change);
    Object.assign(known.record, fields);
    assertSameRecords(
      [shown, await waitUntilSynced(step, known.record.id)],
      [known.record, known.record],
      'what was changed',
    );
  },
);

/** Search stops returning the content immediately; everything else is removed when the receipt is complete. */
const deleteContent = modelCommand('deleteContent', anyIndex, async ({ world, api }, at) => {
  const known = pick(world.contents, at);
  if (!known) return;
  const path = `/contents/${known.record.id}`;
  if (known.isDeleted) return assertRefused(api, path, { method: 'DELETE', as: ABSENT });
  const { deletion_id } = await api.get(path, DeletionAccepted, { method: 'DELETE', status: 202 });
  known.isDeleted = true;
  const json = {
    collection_id: known.record.collection_id,
    query: known.text,
    search_type: 'hybrid',
    max_results: 100,
  };
  const { results } = await api.post('/collections/search', SearchResponse, { json });
  assert.ok(!results.some(({ content_id }) => content_id === known.record.id), 'search returns a deleted content');
  const receipt = await receiptOf({ world, api }, deletion_id);
  assert.deepEqual([receipt.subject_id, receipt.removed.chunks, receipt.removed.contents], [known.record.id, 1, 1]);
  await assertRefused(api, path, { as: ABSENT });
});

const search = modelCommand(
  'search',
  fc.record({
    at: anyIndex,
    word: fc.constantFrom(...WORDS),
    search_type: fc.constantFrom('keyword' as const, 'hybrid' as const, 'vector' as const),
    lang: fc.option(fc.constantFrom('en', 'fr'), { nil: undefined, freq: 2 }),
  }),
  async ({ world, api }, { at, word, search_type, lang }) => {
    const known = pick(world.collections, at);
    if (!known) return;
    const filters = lang === undefined ? {} : { lang };
    const json = { collection_id: known.record.id, query: word, search_type, filters, max_results: 100 };
    const path = '/collections/search';
    if (known.isDeleted) return assertRefused(api, path, { method: 'POST', json, as: ABSENT });
    const { results } = await api.post(path, SearchResponse, { json });
    const inReach = contentsOf(world, known.record.id).filter(
      ({ record }) => lang === undefined || record.metadata['lang'] === lang,
    );
    checkFound(
      results.map(({ content_id }) => content_id),
      {
        all: inReach.map(({ record }) => record.id),
        withWord: inReach.filter(({ text }) => text.includes(word)).map(({ record }) => record.id),
        isExact: search_type === 'keyword',
      },
    );
    for (const { content, content_id } of results)
      assert.equal(content, inReach.find(({ record }) => record.id === content_id)?.text);
  },
);

const inCollection = fc.record({ at: fc.option(anyIndex), limit: fc.integer({ min: 1, max: 4 }) });

const list = modelCommand('listContents', inCollection, async (step, { at, limit }) => {
  await listContents(step, { collection: at === null ? null : pick(step.world.collections, at), limit });
});

/** Pages through contents and chunks, of one collection or of all, and compares both lists with the model. */
export async function listContents(
  { world, api }: Step,
  { collection, limit }: { collection: { record: { id: string } } | null; limit: number },
): Promise<void> {
  const expected = collection === null ? existing(world.contents) : contentsOf(world, collection.record.id);
  const query = `limit=${limit}${collection === null ? '' : `&collection_id=${collection.record.id}`}`;
  const contents = await walk(`/contents?${query}`, async (path) => {
    const { data, ...page } = await api.get(path, ContentPage);
    return { items: data, ...page };
  });
  assertSameRecords(
    contents,
    expected.map(({ record }) => record),
    'the list of contents',
  );
  const chunks = await walk(`/chunks?${query}`, async (path) => {
    const { chunks: items, ...page } = await api.get(path, ChunkPage);
    return { items, ...page };
  });
  const shown = chunks.map(({ content_id, content, collection_id }) => [content_id, content, collection_id]);
  assert.deepEqual(
    shown,
    expected.map(({ record, text }) => [record.id, text, record.collection_id]),
  );
}

const receipts = modelCommand('receipts', fc.constant(null), checkReceipts);

/** Waits for the receipts of deleted collections and checks them. */
export async function checkReceipts(step: Step): Promise<void> {
  for (const { id, subjectId, contents } of step.world.deletions.splice(0)) {
    const receipt = await receiptOf(step, id);
    assert.deepEqual([receipt.kind, receipt.subject_id, receipt.removed.contents], ['collection', subjectId, contents]);
  }
}

async function receiptOf({ api }: Step, id: string): Promise<Deletion> {
  const receipt = await eventually(`the receipt of deletion ${id}`, async () => {
    const seen = await api.get(`/deletions/${id}`, Deletion);
    return seen.status === 'completed' && seen;
  });
  assert.notEqual(receipt.verified_at, null);
  return receipt;
}

const upload = modelCommand(
  'uploadText',
  fc.record({ into: anyIndex, words: someWords, isSame: fc.nat({ max: 2 }).map((n) => n === 0), metadata }),
  uploadText,
);

export const contentCommands = [
  upload,
  upload,
  getContent,
  updateContent,
  deleteContent,
  search,
  search,
  list,
  receipts,
];

function collectionOf({ world }: Step, { record }: KnownContent) {
  const home = world.collections.find((collection) => collection.record.id === record.collection_id);
  assert.ok(home, 'the model has a content without a collection');
  return home;
}
