import test, { type ExecutionContext } from 'ava';
import { extractFromMessages } from '#activities/conversations/extract-from-messages.ts';
import { summariseMessages } from '#activities/conversations/summarise-messages.ts';
import { estimateTokens } from '#domain/chunking/estimate-tokens.ts';
import { getConversation } from '#operations/conversations/conversations.ts';
import { createMessages } from '#operations/conversations/create-messages.ts';
import { listMemories } from '#operations/memories/memories.ts';
import { query } from '#store/postgres.ts';
import { createChatModel } from '#providers/models/chat-model.ts';
import { startChatServer, type ChatBehaviour } from '#test/support/servers/chat-server.ts';
import { userOf } from '#test/support/harness/content-runs.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

async function openConversation(t: ExecutionContext, behaviour: ChatBehaviour | null) {
  const own = await openOwnServices(t, { temporal: 'away' });
  const server = behaviour && (await startChatServer(behaviour));
  if (server) t.teardown(() => server.close());
  const baseUrl = server?.baseUrl ?? null;
  const chat = createChatModel({ baseUrl, apiKey: null, model: 'small', timeoutMs: 20_000 });
  const services = { ...own.services, chat };
  const workspaceId = await services.stores.system.insertWorkspace('talks');
  const caller = userOf(workspaceId);
  const say = async (content: string[], extra: { conversation_id?: string; enable_memories?: boolean } = {}) => {
    const body = { enable_memories: false, ...extra, content };
    return (await createMessages(services, caller, { body, idempotency: null })).body;
  };
  const summaryOf = async (id: string) => (await getConversation(services, caller, id)).summary;
  const memories = async () => (await listMemories(services, caller, { limit: 100, include_superseded: false })).data;
  const { database } = own;
  return { services, database, workspaceId, say, summaryOf, memories, requests: server?.requests ?? [] };
}

const LINES = ['The ferry to Oslo leaves at noon.', 'Then we take the ferry to Oslo at noon.', 'I like jazz.'];

test('without a chat model, the summary consists of verbatim sentences, and a newer summary is not overwritten', async (t) => {
  const { services, workspaceId, say, summaryOf } = await openConversation(t, null);
  const [message] = await say(LINES);
  const conversation_id = message?.conversation_id ?? '';
  const args = { workspace_id: workspaceId, conversation_id };
  const outcome = await summariseMessages(services, { ...args, messages: 3 });
  const summary = (await summaryOf(conversation_id)) ?? '';
  t.deepEqual(outcome, { messages: 3, characters: summary.length });
  t.is(summary, LINES.join(' '));
  await summariseMessages(services, { ...args, messages: 2 });
  t.is(await summaryOf(conversation_id), summary);
  await say(['x'.repeat(5_000)], { conversation_id });
  await summariseMessages(services, { ...args, messages: 4 });
  t.is(await summaryOf(conversation_id), LINES.join(' '), 'a sentence that is too long is left out');
  t.deepEqual(await summariseMessages(services, { ...args, conversation_id: workspaceId, messages: 1 }), {
    messages: 0,
    characters: 0,
  });
});

test('what the model reads of a conversation is limited in tokens: a character of Chinese is one', async (t) => {
  const { services, workspaceId, say, requests } = await openConversation(t, ({ instructions }) =>
    instructions.startsWith('Extract') ? '[]' : 'They take the ferry.',
  );
  const [message] = await say(['我们坐渡轮。', '船'.repeat(30_000), '中午出发。'], { enable_memories: true });
  const key = { workspace_id: workspaceId, conversation_id: message?.conversation_id ?? '' };
  await summariseMessages(services, { ...key, messages: 3 });
  await extractFromMessages(services, { ...key, from: 1, to: 3 });
  const materials = requests.map(({ messages }) => messages.at(-1)?.content ?? '');
  t.is(materials.length, 4);
  t.regex(materials[0] ?? '', /^user: 船.*船\n\nuser: 中午出发。$/s);
  t.regex(materials[2] ?? '', /^船+$/);
  for (const material of materials) t.true(estimateTokens(material) <= 12_100, `${estimateTokens(material)} tokens`);
});

test('with a chat model, the summary is its answer about the whole conversation', async (t) => {
  const { services, workspaceId, say, summaryOf, requests } = await openConversation(t, () => ' They take the ferry. ');
  const [message] = await say(LINES);
  const conversation_id = message?.conversation_id ?? '';
  await summariseMessages(services, { workspace_id: workspaceId, conversation_id, messages: 3 });
  t.is(await summaryOf(conversation_id), 'They take the ferry.');
  t.is(requests[0]?.messages.at(-1)?.content, LINES.map((line) => `user: ${line}`).join('\n\n'));
});

test('without a chat model, each user message becomes one memory, even when extraction is repeated', async (t) => {
  const { services, workspaceId, say, memories } = await openConversation(t, null);
  const [message] = await say(LINES, { enable_memories: true });
  await say(['not this one'], { conversation_id: message?.conversation_id ?? '' });
  const args = { workspace_id: workspaceId, conversation_id: message?.conversation_id ?? '', from: 1, to: 4 };
  const [one, other] = await Promise.all([extractFromMessages(services, args), extractFromMessages(services, args)]);
  t.is(one.memories + other.memories, 3);
  t.deepEqual(await extractFromMessages(services, args), { memories: 0, next: null });
  const found = await memories();
  t.deepEqual(found.map(({ memory }) => memory).sort(), LINES.toSorted());
  t.like(found[0], { user_id: 'ada', memory_type: 'user', metadata: { source: 'conversation' } });
});

test('without a chat model, the memory of a long message is its beginning, and says so', async (t) => {
  const { services, workspaceId, say, memories } = await openConversation(t, null);
  const [fits, isTooLong] = ['a'.repeat(16_384), 'b'.repeat(16_385)];
  const [message] = await say([` ${fits} `, isTooLong], { enable_memories: true });
  const conversation_id = message?.conversation_id ?? '';
  await extractFromMessages(services, { workspace_id: workspaceId, conversation_id, from: 1, to: 2 });
  const found = new Map((await memories()).map(({ memory, metadata }) => [memory, metadata['truncated']]));
  t.deepEqual(
    found,
    new Map([
      [fits, undefined],
      ['b'.repeat(16_384), true],
    ]),
  );
});

test('with a chat model, the facts of a message that it reads only the beginning of say so', async (t) => {
  const { services, workspaceId, say, memories } = await openConversation(
    t,
    ({ material }) => `["${material[0]}", "${material.length}"]`,
  );
  const [message] = await say(['a'.repeat(36_000), 'b'.repeat(36_001)], { enable_memories: true });
  const conversation_id = message?.conversation_id ?? '';
  await extractFromMessages(services, { workspace_id: workspaceId, conversation_id, from: 1, to: 2 });
  const found = (await memories()).map(({ memory, metadata }) => `${memory} ${metadata['truncated'] === true}`);
  t.deepEqual(found.toSorted(), ['36000 false', '36000 true', 'a false', 'b true']);
});

test('an extraction whose time slice is over goes on after the message that it has read', async (t) => {
  const { services, workspaceId, say, memories } = await openConversation(t, null);
  const [message] = await say(LINES, { enable_memories: true });
  const args = { workspace_id: workspaceId, conversation_id: message?.conversation_id ?? '', to: 3 };
  const timeSlice = { isOver: () => true, leftMs: () => 0 };
  for (const [from, next] of [
    [1, 2],
    [2, 3],
    [3, null],
  ] as const)
    t.deepEqual(await extractFromMessages(services, { ...args, from }, { timeSlice }), { memories: 1, next });
  t.is((await memories()).length, 3);
});

test('with a chat model, memories are the facts that it extracts from each message', async (t) => {
  const facts: Record<string, string> = {
    [LINES[0] ?? '']: '["Goes to Oslo.", "Takes ferries."]',
    [LINES[1] ?? '']: '[]',
    [LINES[2] ?? '']: 'no list',
  };
  const { services, workspaceId, say, memories } = await openConversation(t, ({ material }) => facts[material] ?? '');
  const [message] = await say(LINES, { enable_memories: true });
  const args = { workspace_id: workspaceId, conversation_id: message?.conversation_id ?? '', from: 1, to: 3 };
  t.deepEqual(await extractFromMessages(services, args), { memories: 3, next: null });
  t.deepEqual((await memories()).map(({ memory }) => memory).sort(), [
    'Goes to Oslo.',
    'I like jazz.',
    'Takes ferries.',
  ]);
});

test('of facts that reach the limit of length, those that are complete become memories', async (t) => {
  const text = '["Goes to Oslo.", "Takes ferries. Often.", "Likes jazz. And';
  const { services, workspaceId, say, memories } = await openConversation(t, () => ({ text, finish: 'length' }));
  const [message] = await say(['one'], { enable_memories: true });
  const args = { workspace_id: workspaceId, conversation_id: message?.conversation_id ?? '', from: 1, to: 1 };
  t.deepEqual(await extractFromMessages(services, args), { memories: 2, next: null });
  t.deepEqual((await memories()).map(({ memory }) => memory).sort(), ['Goes to Oslo.', 'Takes ferries. Often.']);
});

test('a failure of the chat model keeps the memories extracted so far, and the next attempt extracts the rest', async (t) => {
  let isAway = true;
  const { services, workspaceId, say, memories } = await openConversation(t, ({ material }) =>
    isAway && material === 'two' ? { status: 500 } : `["${material}"]`,
  );
  const [message] = await say(['one', 'two', 'three'], { enable_memories: true });
  const args = { workspace_id: workspaceId, conversation_id: message?.conversation_id ?? '', from: 1, to: 3 };
  await t.throwsAsync(extractFromMessages(services, args), { message: /chat model server/ });
  t.deepEqual(
    (await memories()).map(({ memory }) => memory),
    ['one'],
  );
  isAway = false;
  t.deepEqual(await extractFromMessages(services, args), { memories: 2, next: null });
  t.deepEqual(
    (await memories()).map(({ memory }) => memory),
    ['one', 'two', 'three'],
  );
});

test('a message that the chat model rejects or never answers is kept verbatim and does not block other messages', async (t) => {
  let status = 400;
  const { services, database, workspaceId, say, summaryOf, memories } = await openConversation(t, ({ material }) =>
    material.includes('two') ? { status } : `["${material}!"]`,
  );
  const [message] = await say(['one', 'two', 'three'], { enable_memories: true });
  const conversation_id = message?.conversation_id ?? '';
  const key = { workspace_id: workspaceId, conversation_id };
  t.deepEqual(await extractFromMessages(services, { ...key, from: 1, to: 3 }), { memories: 3, next: null });
  t.deepEqual(
    (await memories()).map(({ memory }) => memory),
    ['one!', 'two', 'three!'],
  );
  await summariseMessages(services, { ...key, messages: 3 });
  t.is(await summaryOf(conversation_id), 'one two three');

  status = 500;
  await say(['two again'], { conversation_id, enable_memories: true });
  const later = { ...key, from: 4, to: 4 };
  await t.throwsAsync(extractFromMessages(services, later), { message: /chat model server/ });
  await query(database, 'update messages set extraction_failures = 238 where extraction_failures = 1');
  await t.throwsAsync(extractFromMessages(services, later), { message: /chat model server/ });
  t.deepEqual(await extractFromMessages(services, later), { memories: 1, next: null });
  t.is((await memories()).at(-1)?.memory, 'two again');
});

test('a chat model that fails again and again is not asked for every conversation that waits for it', async (t) => {
  let isAway = true;
  const { services, workspaceId, say, requests } = await openConversation(t, () =>
    isAway ? { status: 503 } : 'They take the ferry.',
  );
  const [message] = await say(LINES, { enable_memories: true });
  const key = { workspace_id: workspaceId, conversation_id: message?.conversation_id ?? '' };
  const summarise = () => summariseMessages(services, { ...key, messages: 3 });
  for (let attempt = 1; attempt <= 3; attempt += 1)
    await t.throwsAsync(summarise(), { message: /^The chat model server .* HTTP 503\.$/ });
  t.is(requests.length, 3);
  await t.throwsAsync(summarise(), { message: /The next call will be made in/ });
  await t.throwsAsync(extractFromMessages(services, { ...key, from: 1, to: 3 }), {
    message: /The next call will be made/,
  });
  t.is(requests.length, 3);
  isAway = false;
  await eventually('the model is asked again', async () => (await summarise()).characters > 0);
});

test('messages are extracted in batches of 20', async (t) => {
  const { services, workspaceId, say } = await openConversation(t, null);
  const [message] = await say(
    Array.from({ length: 45 }, (_, index) => `fact ${index}`),
    { enable_memories: true },
  );
  const args = { workspace_id: workspaceId, conversation_id: message?.conversation_id ?? '', to: 45 };
  const steps: (number | null)[] = [];
  for (let from: number | null = 1; from !== null;) {
    const outcome: Awaited<ReturnType<typeof extractFromMessages>> = await extractFromMessages(services, {
      ...args,
      from,
    });
    steps.push(outcome.memories);
    from = outcome.next;
  }
  t.deepEqual(steps, [20, 20, 5]);
});
