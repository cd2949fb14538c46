import test from 'ava';
import { embedQuery } from '#operations/search/embed-query.ts';
import { createEmbedderSet } from '#providers/embedders/index.ts';
import { createOpenAIEmbedder } from '#providers/embedders/openai.ts';
import { withQueryCache } from '#providers/embedders/query-cache.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { startOpenAIServer } from '#test/support/servers/openai-server.ts';

/** Calls of the server at the same time. */
const SLOTS = 4;

test('queries of workspaces are embedded in turn, and those of clients that left not at all', async (t) => {
  const gate = Promise.withResolvers<void>();
  const server = await startOpenAIServer(async () => {
    await gate.promise;
    return { dimensions: 4 };
  });
  t.teardown(() => server.close());
  const model = createOpenAIEmbedder({ baseUrl: server.baseUrl, apiKey: null, model: 'm', dimensions: 4 });
  const services = { embedders: createEmbedderSet(withQueryCache(model, { entries: 100 })) };
  const embed = (text: string, share: string, signal?: AbortSignal) =>
    embedQuery(services, model.space, { text, share, signal });
  const leave = new AbortController();
  const many = Array.from({ length: 20 }, (_, at) => embed(`busy ${at}`, 'busy'));
  const left = embed('gone', 'another', leave.signal);
  const other = embed('other', 'another');
  await eventually('the server is busy', async () => server.requests.length === SLOTS, { everyMs: 10 });
  leave.abort(new Error('left'));
  await t.throwsAsync(left, { message: 'left' });
  gate.resolve();
  await Promise.all([...many, other]);
  const asked = server.requests.map(({ input }) => input[0]);
  t.false(asked.includes('gone'));
  t.is(asked.indexOf('other'), SLOTS);
});
