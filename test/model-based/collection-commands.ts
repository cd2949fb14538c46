import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { Collection, CollectionList } from '#domain/records/collection.ts';
import { DeletionAccepted } from '#domain/records/deletion.ts';
import {
  ABSENT,
  anyIndex,
  CONFLICT,
  modelCommand,
  postOnce,
  assertRefused,
  assertSameRecords,
  walk,
  type Step,
} from './model-command.ts';
import { contentsOf, existing, pick, shownCollection, type KnownCollection } from './world.ts';

const names = fc.constantFrom('Handbooks', 'letters', "O'Neil & Søn", '図書館', 'a%b_c');
const tags = fc.uniqueArray(fc.constantFrom('public', 'draft', 'été'), { maxLength: 2 });
const json = fc.constantFrom({}, { shelf: 3 }, { nested: { list: [1, null, 'x'] } });

/** Creates a collection, optionally with a parent. */
export async function createCollection(
  step: Step,
  input: { name: string; tags: string[]; below: number | null; isTwice: boolean },
): Promise<void> {
  const { world, api } = step;
  const parent = input.below === null ? null : pick(world.collections, input.below);
  const fields = { name: input.name, tags: input.tags, parent_id: parent?.record.id ?? null };
  const body = { ...fields, embedding: { provider: 'lexical' } };
  if (parent?.isDeleted) return assertRefused(api, '/collections', { method: 'POST', json: body, as: ABSENT });
  const request = { schema: Collection, json: body, status: 201, isTwice: input.isTwice };
  const record = await postOnce(step, '/collections', request);
  const made: KnownCollection = {
    record: { ...record, ...fields, status: 'active' },
    isDeleted: false,
    clientStats: {},
  };
  world.collections.push(made);
  assertShown(step, record, made);
}

const updateCollection = modelCommand(
  'updateCollection',
  fc.record({
    at: anyIndex,
    fields: fc.record(
      {
        name: names,
        tags,
        description: fc.constantFrom(null, 'What is known of it.'),
        visibility: fc.constantFrom('public' as const, 'private' as const),
        meta_data: json,
        settings: json,
      },
      { requiredKeys: [] },
    ),
  }),
  async (step, { at, fields }) => {
    const known = pick(step.world.collections, at);
    if (!known) return;
    const change = { method: 'PATCH', json: fields };
    const path = `/collections/${known.record.id}`;
    const as = refusalOf(known);
    if (as) return assertRefused(step.api, path, { ...change, as });
    const shown = await step.api.get(path, Collection, change);
    known.record = { ...known.record, ...fields };
    assertShown(step, shown, known);
  },
);

const moveCollection = modelCommand(
  'moveCollection',
  fc.record({ at: anyIndex, action: fc.constantFrom('archive', 'unarchive'), isTwice: fc.boolean() }),
  async (step, { at, action, isTwice }) => {
    const known = pick(step.world.collections, at);
    if (!known) return;
    const path = `/collections/${known.record.id}/${action}`;
    if (known.isDeleted) return assertRefused(step.api, path, { method: 'POST', as: ABSENT });
    const shown = await postOnce(step, path, { schema: Collection, isTwice });
    known.record.status = action === 'archive' ? 'archived' : 'active';
    assertShown(step, shown, known);
  },
);

const setStats = modelCommand(
  'setStats',
  fc.record({
    at: anyIndex,
    stats: fc.constantFrom<Record<string, unknown>>({}, { readers: 3 }, { contents: 99, note: 'mine' }),
  }),
  async (step, { at, stats }) => {
    const known = pick(step.world.collections, at);
    if (!known) return;
    const change = { method: 'PUT', json: stats };
    const path = `/collections/${known.record.id}/stats`;
    const as = refusalOf(known);
    if (as) return assertRefused(step.api, path, { ...change, as });
    const shown = await step.api.get(path, Collection, change);
    known.clientStats = stats;
    assertShown(step, shown, known);
  },
);

const getCollection = modelCommand('getCollection', anyIndex, async (step, at) => {
  const known = pick(step.world.collections, at);
  if (!known) return;
  const path = `/collections/${known.record.id}`;
  if (known.isDeleted) return assertRefused(step.api, path, { as: ABSENT });
  assertShown(step, await step.api.get(path, Collection), known);
});

/** The collection and its contents are absent as soon as the response arrives; the receipt completes later. */
const deleteCollection = modelCommand('deleteCollection', anyIndex, async ({ world, api }, at) => {
  const known = pick(world.collections, at);
  if (!known || known.isDeleted) return;
  const { id } = known.record;
  const contents = contentsOf(world, id);
  const deleted = { method: 'DELETE', status: 202 };
  const { deletion_id } = await api.get(`/collections/${id}`, DeletionAccepted, deleted);
  known.isDeleted = true;
  for (const content of contents) content.isDeleted = true;
  for (const { record } of world.collections) if (record.parent_id === id) record.parent_id = null;
  world.deletions.push({ id: deletion_id, subjectId: id, contents: contents.length });
  await assertRefused(api, `/collections/${id}`, { as: ABSENT });
  for (const [path, naming] of [
    ['/conversations', { collections: [id] }],
    ['/api-keys', { permissions: ['collections:read'], collections: [id] }],
    ['/collections', { name: 'below', parent_id: id }],
  ] as const)
    await assertRefused(api, path, { method: 'POST', json: naming, as: ABSENT });
});

const listFilter = fc.record({
  status: fc.option(fc.constantFrom('active' as const, 'archived' as const), { nil: undefined }),
  tag: fc.option(fc.constantFrom('public', 'draft'), { nil: undefined }),
  limit: fc.integer({ min: 1, max: 4 }),
});

const list = modelCommand('listCollections', listFilter, (step, filter) => listCollections(step, filter));

/** Pages through the list of collections and compares it with the model. */
export async function listCollections(
  { world, api }: Step,
  { status, tag, limit }: { status?: string | undefined; tag?: string | undefined; limit: number },
): Promise<void> {
  const query = new URLSearchParams({ limit: String(limit), ...(status && { status }), ...(tag && { tag }) });
  const shown = await walk(`/collections?${query.toString()}`, async (path) => {
    const { data, ...page } = await api.get(path, CollectionList);
    return { items: data, ...page };
  });
  const expected = existing(world.collections).filter(
    ({ record }) => (!status || record.status === status) && (!tag || record.tags.includes(tag)),
  );
  assertSameRecords(
    shown,
    expected.map((known) => shownCollection(world, known)),
    'the list of collections',
  );
}

const create = modelCommand(
  'createCollection',
  fc.record({ name: names, tags, below: fc.option(anyIndex, { freq: 2 }), isTwice: fc.boolean() }),
  createCollection,
);

export const collectionCommands = [
  create,
  updateCollection,
  moveCollection,
  setStats,
  getCollection,
  deleteCollection,
  list,
];

/** The error that a change of the collection must get; null if it may be changed. */
export function refusalOf(known: KnownCollection): readonly [number, string] | null {
  if (known.isDeleted) return ABSENT;
  return known.record.status === 'archived' ? CONFLICT : null;
}

function assertShown({ world }: Step, shown: Collection, known: KnownCollection): void {
  assert.equal(shown.id, known.record.id);
  assertSameRecords([shown], [shownCollection(world, known)], 'a collection');
}
