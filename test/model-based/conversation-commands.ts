import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { z } from 'zod';
import { Conversation, ConversationList } from '#domain/records/conversation.ts';
import { Message, MessageList } from '#domain/records/message.ts';
import {
  ABSENT,
  anyIndex,
  CONFLICT,
  modelCommand,
  postOnce,
  assertRefused,
  assertSameRecords,
  withoutVolatileFields,
  walk,
  type Step,
} from './model-command.ts';
import { existing, pick, type KnownConversation } from './world.ts';

const titles = fc.constantFrom(null, 'Of otters', 'à propos', '日本の川');
const status = fc.constantFrom('active' as const, 'ended' as const, 'archived' as const);

/** Creates a conversation about some collections. */
export async function createConversation(
  step: Step,
  input: { title: string | null; about: number[]; is_public: boolean; isTwice: boolean },
): Promise<void> {
  const { world, api } = step;
  const about = input.about.flatMap((at) => pick(world.collections, at) ?? []);
  const collections = [...new Set(about.map(({ record }) => record.id))];
  const json = { title: input.title, is_public: input.is_public, collections };
  if (about.some(({ isDeleted }) => isDeleted))
    return assertRefused(api, '/conversations', { method: 'POST', json, as: ABSENT });
  const request = { schema: Conversation, json, status: 201, isTwice: input.isTwice };
  const record = await postOnce(step, '/conversations', request);
  assertSameRecords([record], [{ ...record, ...json, status: 'active', ended_at: null }], 'a new conversation');
  world.conversations.push({ record, messages: [], isDeleted: false });
}

const create = modelCommand(
  'createConversation',
  fc.record({
    title: titles,
    about: fc.array(anyIndex, { maxLength: 2 }),
    is_public: fc.boolean(),
    isTwice: fc.boolean(),
  }),
  createConversation,
);

const update = modelCommand(
  'updateConversation',
  fc.record({ at: anyIndex, fields: fc.record({ title: titles, is_public: fc.boolean() }, { requiredKeys: [] }) }),
  async ({ world, api }, { at, fields }) => {
    const known = pick(world.conversations, at);
    if (!known) return;
    const path = `/conversations/${known.record.id}`;
    const change = { method: 'PATCH', json: fields };
    if (known.isDeleted) return assertRefused(api, path, { ...change, as: ABSENT });
    if (known.record.status === 'archived') return assertRefused(api, path, { ...change, as: CONFLICT });
    Object.assign(known.record, fields);
    assertSameRecords([await api.get(path, Conversation, change)], [known.record], 'what was changed');
  },
);

const move = modelCommand(
  'moveConversation',
  fc.record({
    at: anyIndex,
    actions: fc.array(fc.constantFrom('end' as const, 'archive' as const), { minLength: 1, maxLength: 3 }),
  }),
  async (step, { at, actions }) => {
    const known = pick(step.world.conversations, at);
    if (!known) return;
    for (const action of actions) await moveConversation(step, known, action);
  },
);

async function moveConversation({ api }: Step, known: KnownConversation, action: 'end' | 'archive'): Promise<void> {
  const { record } = known;
  const path = `/conversations/${record.id}/${action}`;
  if (known.isDeleted) return assertRefused(api, path, { method: 'PATCH', as: ABSENT });
  if (action === 'end' && record.status === 'archived')
    return assertRefused(api, path, { method: 'PATCH', as: CONFLICT });
  const shown = await api.get(path, Conversation, { method: 'PATCH' });
  const ended_at = record.ended_at ?? shown.ended_at;
  known.record = { ...record, status: action === 'end' ? 'ended' : 'archived', ended_at };
  assert.notEqual(ended_at, null);
  assertSameRecords([shown], [known.record], 'what was moved');
}

const remove = modelCommand('deleteConversation', anyIndex, async ({ world, api }, at) => {
  const known = pick(world.conversations, at);
  if (!known) return;
  const path = `/conversations/${known.record.id}`;
  if (known.isDeleted) return assertRefused(api, path, { method: 'DELETE', as: ABSENT });
  assert.equal((await api.send(path, { method: 'DELETE' })).status, 204);
  known.isDeleted = true;
  for (const gone of [path, `${path}/messages`]) await assertRefused(api, gone, { as: ABSENT });
});

const say = modelCommand(
  'createMessages',
  fc.record({
    at: fc.option(anyIndex, { freq: 6 }),
    texts: fc.array(fc.constantFrom('hello', 'wörld', 'and so on\nand on', ''), { minLength: 1, maxLength: 3 }),
    role: fc.constantFrom('user', 'assistant', 'system'),
    isReply: fc.boolean(),
    isTwice: fc.boolean(),
  }),
  createMessages,
);

/** Adds messages to a conversation, or without one, which creates a conversation. */
export async function createMessages(
  step: Step,
  input: { at: number | null; texts: string[]; role: string; isReply: boolean; isTwice: boolean },
): Promise<void> {
  const { world, api } = step;
  const known = input.at === null ? null : pick(world.conversations, input.at);
  const parent = (input.isReply && known?.messages[0]?.id) || null;
  const content = input.texts.map((text) => ({ content: text, role: input.role, parent_message_id: parent }));
  const json = { ...(known && { conversation_id: known.record.id }), content };
  const asPost = { method: 'POST', json };
  if (known?.isDeleted) return assertRefused(api, '/messages', { ...asPost, as: ABSENT });
  if (known && known.record.status !== 'active') return assertRefused(api, '/messages', { ...asPost, as: CONFLICT });
  const request = { schema: z.array(Message), json, status: 201, isTwice: input.isTwice };
  const said = await postOnce(step, '/messages', request);
  assert.deepEqual(
    said.map((message) => [message.content, message.role, message.parent_message_id]),
    input.texts.map((text) => [text, input.role, parent]),
  );
  for (const { content: text, checksum } of said)
    assert.equal(checksum, createHash('sha256').update(text).digest('hex'));
  const conversation = known ?? (await addCreatedConversation(step, said));
  assert.ok(said.every(({ conversation_id }) => conversation_id === conversation.record.id));
  conversation.messages.push(...said);
}

/** Adds the conversation that messages without one created to the model. */
async function addCreatedConversation({ world, api }: Step, [first]: readonly Message[]): Promise<KnownConversation> {
  const record = await api.get(`/conversations/${first?.conversation_id}`, Conversation);
  const known: KnownConversation = { record, messages: [], isDeleted: false };
  assert.deepEqual([record.status, record.is_public, record.collections], ['active', false, []]);
  world.conversations.push(known);
  return known;
}

const readMessages = modelCommand(
  'listMessages',
  fc.record({ at: anyIndex, limit: fc.integer({ min: 1, max: 4 }), isThread: fc.boolean() }),
  async ({ world, api }, { at, limit, isThread }) => {
    const known = pick(world.conversations, at);
    if (!known) return;
    const path = `/conversations/${known.record.id}/messages`;
    if (known.isDeleted) return assertRefused(api, path, { as: ABSENT });
    const parent = isThread ? known.messages[0]?.id : undefined;
    const shown = await walk(`${path}?limit=${limit}${parent ? `&parent_message_id=${parent}` : ''}`, async (page) => {
      const { data, ...rest } = await api.get(page, MessageList);
      return { items: data, ...rest };
    });
    const expected = known.messages.filter(({ parent_message_id }) => !parent || parent_message_id === parent);
    assert.deepEqual(shown, expected);
  },
);

const list = modelCommand(
  'listConversations',
  fc.record({
    status: fc.option(status, { nil: undefined }),
    about: fc.option(anyIndex, { freq: 3 }),
    skip: fc.nat({ max: 4 }),
    limit: fc.integer({ min: 1, max: 5 }),
  }),
  (step, { about, ...filter }) =>
    listConversations(step, { ...filter, collection: about === null ? null : pick(step.world.collections, about) }),
);

/** Reads a page of conversations and compares it with the model. */
export async function listConversations(
  { world, api }: Step,
  filter: { status?: string | undefined; collection: { record: { id: string } } | null; skip: number; limit: number },
): Promise<void> {
  const { collection, skip, limit } = filter;
  const about = collection?.record.id;
  const query = new URLSearchParams({
    skip: String(skip),
    limit: String(limit),
    ...(filter.status && { status: filter.status }),
    ...(about && { collection_id: about }),
  });
  const shown = await api.get(`/conversations?${query.toString()}`, ConversationList);
  const expected = existing(world.conversations)
    .filter(({ record }) => !filter.status || record.status === filter.status)
    .filter(({ record }) => !about || record.collections.includes(about))
    .toReversed();
  assert.equal(shown.total_count, expected.length);
  const page = expected.slice(skip, skip + limit).map(({ record }) => record);
  assert.deepEqual(shown.data.map(withoutVolatileFields), page.map(withoutVolatileFields));
}

export const conversationCommands = [create, update, move, remove, say, say, readMessages, list];
