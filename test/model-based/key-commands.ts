import assert from 'node:assert/strict';
import { FIRST_VERSION } from './memory-commands.ts';
import * as fc from 'fast-check';
import { ApiKey, ApiKeyList } from '#domain/records/api-key.ts';
import { Collection, CollectionList } from '#domain/records/collection.ts';
import { ConversationList } from '#domain/records/conversation.ts';
import { MemoryAnswer } from '#domain/records/memory.ts';
import { apiClient } from '#test/support/harness/api-client.ts';
import {
  ABSENT,
  anyIndex,
  CONFLICT,
  FORBIDDEN,
  modelCommand,
  postOnce,
  assertRefused,
  assertSameRecords,
  walk,
  type Step,
} from './model-command.ts';
import { existing, pick, shownCollection, type KnownKey } from './world.ts';

const UNAUTHORIZED = [401, 'unauthorized'] as const;

const permissions = fc.subarray(
  ['collections:read', 'collections:write', 'conversations:read', 'memories:write', 'api-keys:read'],
  { minLength: 1 },
);
/** The collections that a key is limited to; null for all. */
const reach = fc.option(fc.array(anyIndex, { minLength: 1, maxLength: 2 }), { freq: 2 });

/** Creates a key. */
export async function createKey(
  step: Step,
  input: { permissions: string[]; reach: number[] | null; isTwice: boolean },
): Promise<void> {
  const { world, api } = step;
  const collections = reached(step, input.reach);
  const json = { permissions: input.permissions, collections: collections?.ids ?? null };
  if (collections?.hasDeleted) return assertRefused(api, '/api-keys', { method: 'POST', json, as: ABSENT });
  const request = { schema: ApiKey, json, status: 201, isTwice: input.isTwice };
  const { secret, ...record } = await postOnce(step, '/api-keys', request);
  assert.ok(secret);
  assert.deepEqual([record.permissions, record.collections], [json.permissions, json.collections]);
  const known: KnownKey = {
    record: { ...record, ...json, secret: null },
    secret,
    previousSecrets: [],
    isDeleted: false,
  };
  world.keys.push(known);
}

const create = modelCommand('createKey', fc.record({ permissions, reach, isTwice: fc.boolean() }), createKey);

const update = modelCommand(
  'updateKey',
  fc.record({ at: anyIndex, permissions, reach }),
  async (step, { at, ...input }) => {
    const known = pick(step.world.keys, at);
    if (!known) return;
    const collections = reached(step, input.reach);
    const fields = { permissions: input.permissions, collections: collections?.ids ?? null };
    const change = { method: 'PATCH', json: fields };
    const path = `/api-keys/${known.record.id}`;
    if (known.isDeleted) return assertRefused(step.api, path, { ...change, as: CONFLICT });
    // A collection that the key already names may have been deleted meanwhile.
    const added = collections?.gone.filter((id) => !known.record.collections?.includes(id)) ?? [];
    if (added.length > 0) return assertRefused(step.api, path, { ...change, as: ABSENT });
    Object.assign(known.record, fields);
    assertSameRecords([await step.api.get(path, ApiKey, change)], [known.record], 'a key that was changed');
  },
);

const rotate = modelCommand(
  'rotateKey',
  fc.record({ at: anyIndex, isTwice: fc.boolean() }),
  async (step, { at, isTwice }) => {
    const known = pick(step.world.keys, at);
    if (!known) return;
    const path = `/api-keys/${known.record.id}/rotate`;
    if (known.isDeleted) return assertRefused(step.api, path, { method: 'POST', as: CONFLICT });
    const { secret, hashed_secret } = await postOnce(step, path, { schema: ApiKey, isTwice });
    assert.ok(secret && secret !== known.secret);
    known.previousSecrets.push(known.secret);
    known.secret = secret;
    known.record.hashed_secret = hashed_secret;
  },
);

const revoke = modelCommand('revokeKey', anyIndex, async ({ world, api }, at) => {
  const known = pick(world.keys, at);
  if (!known) return;
  // Revoking a revoked key is not an error.
  assert.equal((await api.send(`/api-keys/${known.record.id}`, { method: 'DELETE' })).status, 204);
  known.isDeleted = true;
  known.record.status = 'revoked';
  await assertRefused(apiClient(known.secret), '/collections', { as: UNAUTHORIZED });
});

/** Checks what a key may and may not do. Secrets from before a rotation must be rejected. */
const use = modelCommand(
  'useKey',
  fc.record({ at: anyIndex, collection: anyIndex, former: fc.option(fc.nat({ max: 3 }), { freq: 3 }) }),
  async (step, input) => {
    const known = pick(step.world.keys, input.at);
    if (!known) return;
    const former = input.former === null ? undefined : known.previousSecrets.at(-1 - input.former);
    const attempt: Attempt = { step, known, api: apiClient(former ?? known.secret), collection: input.collection };
    if (known.isDeleted || former !== undefined) {
      for (const path of ['/collections', '/api-keys', '/conversations'])
        await assertRefused(attempt.api, path, { as: UNAUTHORIZED });
      return;
    }
    await readCollections(attempt);
    await writeCollection(attempt);
    await readConversations(attempt);
    await writeMemory(attempt);
    if (!may(attempt, 'api-keys:read')) await assertRefused(attempt.api, '/api-keys', { as: FORBIDDEN });
  },
);

type Attempt = { step: Step; known: KnownKey; api: ReturnType<typeof apiClient>; collection: number };

function may({ known }: Attempt, permission: string): boolean {
  return known.record.permissions.includes(permission);
}

function reaches({ known }: Attempt, id: string): boolean {
  return known.record.collections?.includes(id) ?? true;
}

async function readCollections(attempt: Attempt): Promise<void> {
  const { step, api } = attempt;
  const { world } = step;
  const one = pick(world.collections, attempt.collection);
  const path = `/collections/${one?.record.id}`;
  if (!may(attempt, 'collections:read')) {
    for (const each of [path, '/collections']) await assertRefused(api, each, { as: FORBIDDEN });
    return;
  }
  const inReach = existing(world.collections).filter(({ record }) => reaches(attempt, record.id));
  const { data } = await api.get('/collections?limit=1000', CollectionList);
  assertSameRecords(
    data,
    inReach.map((known) => shownCollection(world, known)),
    'collections in reach of a key',
  );
  if (!one || !inReach.includes(one)) return assertRefused(api, path, { as: ABSENT });
  assertSameRecords([await api.get(path, Collection)], [shownCollection(world, one)], 'a collection in reach of a key');
}

/** An empty change shows whether changes are permitted. */
async function writeCollection(attempt: Attempt): Promise<void> {
  const { step, api } = attempt;
  const one = pick(step.world.collections, attempt.collection);
  if (!one) return;
  const path = `/collections/${one.record.id}`;
  const change = { method: 'PATCH', json: {} };
  if (!may(attempt, 'collections:write')) return assertRefused(api, path, { ...change, as: FORBIDDEN });
  if (one.isDeleted || !reaches(attempt, one.record.id)) return assertRefused(api, path, { ...change, as: ABSENT });
  if (one.record.status === 'archived') return assertRefused(api, path, { ...change, as: CONFLICT });
  assertSameRecords([await api.get(path, Collection, change)], [shownCollection(step.world, one)], 'an empty change');
}

/** A key that is limited to collections sees no conversation about others. */
async function readConversations(attempt: Attempt): Promise<void> {
  const { step, api } = attempt;
  if (!may(attempt, 'conversations:read')) return assertRefused(api, '/conversations', { as: FORBIDDEN });
  const { data } = await api.get('/conversations?limit=1000', ConversationList);
  const inReach = existing(step.world.conversations).filter(({ record }) =>
    record.collections.every((id) => reaches(attempt, id)),
  );
  assertSameRecords(data, inReach.map(({ record }) => record).toReversed(), 'conversations in reach of a key');
}

async function writeMemory(attempt: Attempt): Promise<void> {
  const { step, api } = attempt;
  const json = { user_id: 'ada', memory: `By a key, ${(step.world.serial += 1)}.` };
  if (!may(attempt, 'memories:write')) return assertRefused(api, '/memories', { method: 'POST', json, as: FORBIDDEN });
  const { memory } = await api.post('/memories', MemoryAnswer, { json, status: 201 });
  step.world.memories.push({ versions: [{ ...memory, ...FIRST_VERSION }], isDeleted: false });
}

const list = modelCommand('listKeys', fc.integer({ min: 1, max: 4 }), (step, limit) => listKeys(step, { limit }));

/** Pages through the list of keys and compares it with the model. The first key is that of the client. */
export async function listKeys({ world, api }: Step, { limit }: { limit: number }): Promise<void> {
  const [, ...made] = await walk(`/api-keys?limit=${limit}`, async (path) => {
    const { data, ...page } = await api.get(path, ApiKeyList);
    return { items: data, ...page };
  });
  assertSameRecords(
    made,
    world.keys.map(({ record }) => record),
    'the list of keys',
  );
}

export const keyCommands = [create, update, rotate, revoke, use, use, use, list];

function reached(
  { world }: Step,
  numbers: number[] | null,
): { ids: string[]; gone: string[]; hasDeleted: boolean } | null {
  if (numbers === null) return null;
  const all = [...new Set(numbers.flatMap((at) => pick(world.collections, at) ?? []))];
  if (all.length === 0) return null;
  const gone = all.filter(({ isDeleted }) => isDeleted).map(({ record }) => record.id);
  return { ids: all.map(({ record }) => record.id), gone, hasDeleted: gone.length > 0 };
}
