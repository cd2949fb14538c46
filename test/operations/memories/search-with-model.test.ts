import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import type { Caller } from '#domain/access/caller.ts';
import type { RetrievalMethod } from '#domain/records/memory.ts';
import { estimateTokens } from '#domain/chunking/estimate-tokens.ts';
import { createMemory } from '#operations/memories/create-memory.ts';
import { searchMemories } from '#operations/memories/search-memories.ts';
import { searchWithModel } from '#operations/memories/search-with-model.ts';
import { createChatModel } from '#providers/models/chat-model.ts';
import { startChatServer, type ChatBehaviour } from '#test/support/servers/chat-server.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

const MEMORIES = ['Takes the 7:40 tram to work.', 'Is allergic to walnuts.', 'Has a sister in Turin.'];

/** Creates a workspace with a few memories, and a chat model with this behaviour. */
async function openWithModel(t: ExecutionContext, behaviour: ChatBehaviour, timeoutMs = 20_000) {
  const server = await startChatServer(behaviour);
  t.teardown(() => server.close());
  const own = await openOwnServices(t, { temporal: 'away' });
  const chat = createChatModel({ baseUrl: server.baseUrl, apiKey: null, model: 'small', timeoutMs });
  if (chat === null) throw new Error('no chat model is configured');
  const services = { ...own.services, chat };
  const workspaceId = await services.stores.system.insertWorkspace('with a model');
  const caller: Caller = {
    scope: { workspaceId, collectionIds: null },
    apiKeyId: randomUUID(),
    userId: null,
    permissions: ['*'],
    principal: 'a test',
    workspaceIds: [workspaceId],
  };
  const write = (memory: string) =>
    createMemory(services, caller, {
      body: { user_id: 'ada', memory, memory_type: 'user', topics: [], metadata: {} },
      idempotency: null,
    });
  for (const memory of MEMORIES) await write(memory);
  const ask = (retrieval_method: RetrievalMethod, query = 'which nuts are dangerous', signal?: AbortSignal) =>
    searchMemories(services, caller, { query, retrieval_method, limit: 10, signal });
  const askWithin = (limitMs: number, query: string) => {
    const search = { query, type: 'hybrid', userId: null, asOf: null, limit: 10 } as const;
    return searchWithModel(services, chat, { scope: caller.scope, search, limitMs });
  };
  return { ask, askWithin, write, server, slots: services.answerSlots };
}

const isRewrite = (instructions: string) => instructions.includes('search queries');

test('the agentic methods search with the rewritten queries of the model and return its selection in its order', async (t) => {
  const { ask, server } = await openWithModel(t, ({ instructions, material }) => {
    if (isRewrite(instructions)) return 'Sure: ["walnuts allergic", "sister in Turin", 7]';
    const number = (text: string) => new RegExp(`^(\\d+)\\. ${text}`, 'm').exec(material)?.[1] ?? '0';
    return `[${number('Has a sister')}, ${number('Is allergic')}, ${number('Is allergic')}, 99]`;
  });
  for (const method of ['agentic', 'agentic_hybrid', 'agentic_vector', 'agentic_keyword'] as const) {
    const answer = await ask(method);
    t.deepEqual(
      answer.memories.map(({ memory }) => memory),
      ['Has a sister in Turin.', 'Is allergic to walnuts.'],
      method,
    );
    t.is(answer.retrieval_method, method);
    const searched = {
      agentic: 'hybrid',
      agentic_hybrid: 'hybrid',
      agentic_vector: 'vector',
      agentic_keyword: 'keyword',
    }[method];
    t.deepEqual(answer.retrieval_details, {
      steps: ['rewrite', searched, 'fuse', 'select'],
      model: 'small',
      queries: ['which nuts are dangerous', 'walnuts allergic', 'sister in Turin'],
      note: null,
    });
  }
  const asked = server.requests.length;
  for (const method of ['vector', 'keyword', 'hybrid', 'last_n', 'first_n'] as const) await ask(method);
  t.is(server.requests.length, asked, 'the other methods do not call the model');
});

test('an unparsable answer of the model does not fail the search', async (t) => {
  const { ask } = await openWithModel(t, () => 'I would rather not.');
  const answer = await ask('agentic', 'walnuts');
  t.is(answer.memories[0]?.memory, 'Is allergic to walnuts.');
  t.deepEqual(answer.retrieval_details.steps, ['rewrite', 'hybrid', 'fuse']);
  t.regex(answer.retrieval_details.note ?? '', /no usable selection/);
});

test('the fused ranking is the result when the model fails to select, or takes too long to', async (t) => {
  let select: () => Promise<{ status: number }> = () => Promise.resolve({ status: 500 });
  const { ask, askWithin, server } = await openWithModel(t, ({ instructions }) =>
    isRewrite(instructions) ? '["nuts"]' : select(),
  );
  const failed = await ask('agentic', 'walnuts');
  t.is(failed.memories[0]?.memory, 'Is allergic to walnuts.');
  t.deepEqual(failed.retrieval_details.queries, ['walnuts', 'nuts']);
  t.regex(failed.retrieval_details.note ?? '', /no usable selection/);
  t.is(server.requests.length, 2);
  select = () => new Promise(() => undefined);
  const late = await askWithin(5_000, 'walnuts');
  t.is(late?.rows[0]?.memory, 'Is allergic to walnuts.');
  t.deepEqual(late?.details.steps, ['rewrite', 'hybrid', 'fuse']);
  t.regex(late?.details.note ?? '', /no usable selection/);
});

test('a model that does not answer in time counts as unavailable, also while the search waits for its turn', async (t) => {
  const { askWithin, server, slots } = await openWithModel(t, () => new Promise(() => undefined), 3_600_000);
  t.is(await askWithin(3_000, 'walnuts'), null);
  t.is(server.requests.length, 1);
  const hold = (index: number) => slots.hold({ share: `another-${index % 2}`, lane: 'express' });
  const held = await Promise.all(Array.from({ length: 16 }, (_, index) => hold(index)));
  t.is(await askWithin(100, 'walnuts'), null);
  t.is(server.requests.length, 1, 'the turns are taken');
  for (const turn of held) turn[Symbol.dispose]();
});

test('the search works without an unavailable model and reports that', async (t) => {
  const { ask } = await openWithModel(t, () => ({ status: 500 }));
  const answer = await ask('agentic', 'walnuts');
  t.is(answer.memories[0]?.memory, 'Is allergic to walnuts.');
  t.like(answer.retrieval_details, { steps: ['hybrid'], model: null });
  t.regex(answer.retrieval_details.note ?? '', /no usable answer/);
});

test('of a long memory the model reads the beginning, as many tokens of each', async (t) => {
  const { ask, write, server } = await openWithModel(t, ({ instructions }) => (isRewrite(instructions) ? '[]' : '[1]'));
  await write('核桃'.repeat(1_000));
  await write('walnuts '.repeat(1_000));
  await ask('agentic', 'walnuts 核桃');
  const listed = (server.requests.at(-1)?.messages.at(-1)?.content ?? '').split('\n');
  const shown = listed.filter((line) => /核桃核桃|walnuts walnuts/.test(line));
  t.is(shown.length, 2);
  for (const line of shown) t.true(estimateTokens(line) > 130 && estimateTokens(line) < 140, line);
});

test('the model is asked in turn, and not at all for a client that left', async (t) => {
  const { ask, server, slots } = await openWithModel(t, ({ instructions }) => (isRewrite(instructions) ? '[]' : '[1]'));
  // No workspace holds all of them.
  const hold = (index: number) => slots.hold({ share: `another-${index % 2}`, lane: 'express' });
  const held = await Promise.all(Array.from({ length: 16 }, (_, index) => hold(index)));
  const gone = new AbortController();
  const left = ask('agentic', 'walnuts', gone.signal);
  const waiting = ask('agentic', 'walnuts');
  await ask('hybrid', 'walnuts');
  gone.abort();
  await t.throwsAsync(left, { name: 'AbortError' });
  t.is(server.requests.length, 0, 'the turns are taken');
  for (const turn of held) turn[Symbol.dispose]();
  t.is((await waiting).retrieval_details.model, 'small');
  t.is(server.requests.length, 2);
});
