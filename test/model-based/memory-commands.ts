import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  MemoryAnswer,
  MemoryDetail,
  MemoryHistory,
  MemoryList,
  ReplaceMemoryAnswer,
  SearchMemoriesResponse,
} from '#domain/records/memory.ts';
import { checkFound } from './check-found.ts';
import { someWords, WORDS } from './content-commands.ts';
import {
  ABSENT,
  anyIndex,
  FORBIDDEN,
  modelCommand,
  postOnce,
  assertRefused,
  walk,
  type Step,
} from './model-command.ts';
import { currentVersion, existing, pick, type KnownMemory } from './world.ts';

const users = fc.constantFrom('ada', 'bob');
const topics = fc.uniqueArray(fc.constantFrom('home', 'work', 'été'), { maxLength: 2 });
const metadata = fc.constantFrom<Record<string, unknown>>({}, { sure: true });
/** Whether the owner sends the request; occasionally another user tries. */
const byOwner = fc.nat({ max: 5 }).map((n) => n > 0);

/** What a new memory has besides its record. */
export const FIRST_VERSION = { memory_type: 'user', version: 1, superseded_by: null, superseded_at: null } as const;

/** Creates a memory. */
export async function createMemory(
  step: Step,
  input: { user_id: string; words: string[]; topics: string[]; metadata: Record<string, unknown>; isTwice: boolean },
): Promise<void> {
  const memory = textOf(step, input.words);
  const json = { user_id: input.user_id, memory, topics: input.topics, metadata: input.metadata };
  const request = { schema: MemoryAnswer, json, status: 201, isTwice: input.isTwice };
  const made = (await postOnce(step, '/memories', request)).memory;
  const record = { ...made, ...json, ...FIRST_VERSION };
  step.world.memories.push({ versions: [record], isDeleted: false });
  assert.deepEqual(await step.api.get(`/memories/${made.memory_id}`, MemoryDetail), record);
}

const create = modelCommand(
  'createMemory',
  fc.record({ user_id: users, words: someWords, topics, metadata, isTwice: fc.boolean() }),
  createMemory,
);

const update = modelCommand(
  'updateMemory',
  fc.record({
    at: anyIndex,
    byOwner,
    words: fc.option(someWords),
    fields: fc.record({ topics, metadata }, { requiredKeys: [] }),
  }),
  async (step, { at, words, fields, ...input }) => {
    const known = pick(step.world.memories, at);
    if (!known) return;
    const changes = { ...fields, ...(words && { memory: textOf(step, words) }) };
    const before = currentVersion(known);
    const change = { method: 'PUT', json: { ...changes, user_id: requester(before, input.byOwner) } };
    const path = `/memories/${before.memory_id}`;
    const as = refusalOf(known, input.byOwner);
    if (as) return assertRefused(step.api, path, { ...change, as });
    const { memory } = await step.api.get(path, MemoryAnswer, change);
    addVersion(known, { ...before, ...changes, updated_at: memory.updated_at });
    await assertCurrentVersion(step, known);
  },
);

const replace = modelCommand(
  'replaceMemory',
  fc.record({ at: anyIndex, byOwner, words: someWords, topics, metadata, isTwice: fc.boolean() }),
  async (step, { at, words, isTwice, byOwner: isOwner, ...fields }) => {
    const known = pick(step.world.memories, at);
    if (!known) return;
    const before = currentVersion(known);
    const changes = { ...fields, memory: textOf(step, words) };
    const json = { ...changes, user_id: requester(before, isOwner) };
    const path = `/memories/${before.memory_id}/replace`;
    const as = refusalOf(known, isOwner);
    if (as) return assertRefused(step.api, path, { method: 'POST', json, as });
    const { old_memory, new_memory } = await postOnce(step, path, { schema: ReplaceMemoryAnswer, json, isTwice });
    const { memory_type: _type, version: _version, superseded_by: _by, superseded_at: _at, ...old } = before;
    assert.deepEqual(old_memory, old);
    addVersion(known, { ...before, ...changes, updated_at: new_memory.updated_at });
    await assertCurrentVersion(step, known);
  },
);

const remove = modelCommand('deleteMemory', anyIndex, async ({ world, api }, at) => {
  const known = pick(world.memories, at);
  if (!known) return;
  const path = `/memories/${currentVersion(known).memory_id}`;
  if (known.isDeleted) return assertRefused(api, path, { method: 'DELETE', as: ABSENT });
  assert.equal((await api.send(path, { method: 'DELETE' })).status, 204);
  known.isDeleted = true;
  await assertRefused(api, path, { as: ABSENT });
});

const getMemory = modelCommand(
  'getMemory',
  fc.record({ at: anyIndex, back: fc.nat({ max: 5 }) }),
  async (step, { at, back }) => {
    const known = pick(step.world.memories, at);
    if (!known) return;
    const path = `/memories/${currentVersion(known).memory_id}`;
    if (known.isDeleted) {
      for (const gone of [path, `${path}/history`]) await assertRefused(step.api, gone, { as: ABSENT });
      return;
    }
    await assertCurrentVersion(step, known);
    const past = known.versions[back % known.versions.length];
    const asOf = encodeURIComponent(past?.updated_at ?? '');
    assert.deepEqual(await step.api.get(`${path}?as_of=${asOf}`, MemoryDetail), past);
    const { data } = await step.api.get(`${path}/history?limit=1000`, MemoryHistory);
    const shown = data.map(({ valid_from: _from, valid_to: _to, ...version }) => version);
    assert.deepEqual(shown, known.versions.toReversed());
  },
);

const search = modelCommand(
  'searchMemories',
  fc.record({
    word: fc.constantFrom(...WORDS),
    user_id: fc.option(users, { nil: undefined }),
    retrieval_method: fc.constantFrom('keyword', 'hybrid', 'vector', 'agentic', 'last_n', 'first_n'),
  }),
  async ({ world, api }, { word, user_id, retrieval_method }) => {
    const json = { query: word, user_id, retrieval_method, limit: 100 };
    const { memories } = await api.post('/memories/search', SearchMemoriesResponse, { json });
    const inSight = ofUser(existing(world.memories), user_id).map(currentVersion);
    const found = memories.map(({ memory_id }) => memory_id);
    const all = inSight.map(({ memory_id }) => memory_id);
    if (retrieval_method === 'first_n') return assert.deepEqual(found, all);
    if (retrieval_method === 'last_n') return assert.deepEqual(found, all.toReversed());
    const withWord = inSight.filter(({ memory }) => memory.includes(word)).map(({ memory_id }) => memory_id);
    checkFound(found, { all, withWord, isExact: retrieval_method === 'keyword' });
    for (const { memory, memory_id } of memories)
      assert.equal(memory, inSight.find((one) => one.memory_id === memory_id)?.memory);
  },
);

const list = modelCommand(
  'listMemories',
  fc.record({ user_id: fc.option(users, { nil: undefined }), limit: fc.integer({ min: 1, max: 4 }) }),
  listMemories,
);

/** Pages through the memories, of one user or of all, and compares them with the model. */
export async function listMemories(
  { world, api }: Step,
  { user_id, limit }: { user_id?: string | undefined; limit: number },
): Promise<void> {
  const shown = await walk(`/memories?limit=${limit}${user_id ? `&user_id=${user_id}` : ''}`, async (path) => {
    const { data, ...page } = await api.get(path, MemoryList);
    return { items: data, ...page };
  });
  assert.deepEqual(shown, ofUser(existing(world.memories), user_id).map(currentVersion));
}

export const memoryCommands = [create, create, update, replace, remove, getMemory, search, search, list];

function textOf({ world }: Step, words: readonly string[]): string {
  return `Knows of ${words.join(' and ')}, ${(world.serial += 1)}.`;
}

function requester({ user_id }: MemoryDetail, isOwner: boolean): string {
  return isOwner ? user_id : `not ${user_id}`;
}

function refusalOf({ isDeleted }: KnownMemory, isOwner: boolean): readonly [number, string] | null {
  if (isDeleted) return ABSENT;
  return isOwner ? null : FORBIDDEN;
}

function addVersion(known: KnownMemory, version: MemoryDetail): void {
  const before = currentVersion(known);
  assert.ok(version.updated_at > before.updated_at, 'a new version is later than the previous one');
  known.versions.push({ ...version, version: before.version + 1 });
}

async function assertCurrentVersion({ api }: Step, known: KnownMemory): Promise<void> {
  const version = currentVersion(known);
  assert.deepEqual(await api.get(`/memories/${version.memory_id}`, MemoryDetail), version);
}

function ofUser(memories: readonly KnownMemory[], userId: string | undefined): KnownMemory[] {
  return memories.filter(({ versions: [first] }) => userId === undefined || first.user_id === userId);
}
