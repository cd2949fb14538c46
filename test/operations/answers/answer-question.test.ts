import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { AnswerRequest, type AnswerEvent } from '#domain/records/answer.ts';
import { estimateTokens } from '#domain/chunking/estimate-tokens.ts';
import { answerQuestion } from '#operations/answers/answer-question.ts';
import { createMessages } from '#operations/conversations/create-messages.ts';
import { createChatModel } from '#providers/models/chat-model.ts';
import { makePlace } from '#test/support/harness/content-runs.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';
import { startChatServer, type ChatBehaviour } from '#test/support/servers/chat-server.ts';

const { signal } = new AbortController();
const REWORDED = 'When does the ferry leave?';

/** A conversation with this message, and a model that rewords what is asked in it. */
async function openConversation(t: ExecutionContext, said: string, behaviour: ChatBehaviour = () => REWORDED) {
  const own = await openOwnServices(t, { temporal: 'away' });
  const server = await startChatServer(behaviour);
  t.teardown(() => server.close());
  const chat = createChatModel({ baseUrl: server.baseUrl, apiKey: null, model: 'small', timeoutMs: 20_000 });
  const services = { ...own.services, chat };
  const { caller, collectionId } = await makePlace(own.database);
  const body = { enable_memories: false, content: [said] };
  const [message] = (await createMessages(services, caller, { body, idempotency: null })).body;
  const request = AnswerRequest.parse({
    query: 'And when?',
    conversation_id: message?.conversation_id,
    collection_ids: [collectionId],
  });
  const idempotency = { key: randomUUID(), fingerprint: 'a question' };
  const ask = () => answerQuestion(services, caller, { request, idempotency, signal });
  return { ask, requests: server.requests };
}

async function lastOf(events: AsyncIterable<AnswerEvent>): Promise<unknown> {
  let last: unknown = null;
  for await (const { data } of events) last = data;
  return last;
}

test('of two requests with one Idempotency-Key, the one that comes later asks no model, whenever it was received', async (t) => {
  const { ask, requests } = await openConversation(t, 'Is there a ferry to Ulva?');
  // Both find no stored answer.
  const [first, second] = [await ask(), await ask()];
  const answer = await lastOf(first);
  t.like(answer, { searched_for: REWORDED, method: 'nothing_found' });
  t.is(JSON.stringify(await lastOf(second)), JSON.stringify(answer));
  t.is(requests.length, 1);
});

test('of a long message in Chinese, the model gets as many tokens as of one in English', async (t) => {
  const { ask, requests } = await openConversation(t, '船'.repeat(30_000));
  await lastOf(await ask());
  const material = requests[0]?.messages.at(-1)?.content ?? '';
  const tokens = estimateTokens(material);
  t.true(material.includes('船船') && tokens > 3_900 && tokens < 4_100, `${tokens} tokens`);
});

test('a question is reworded by what follows the reasoning that a server sends without an opening tag', async (t) => {
  async function* pieces() {
    yield 'They go on about ferries.\n';
    yield 'When they leave.\n</think>\n\n';
    yield REWORDED;
  }
  const { ask } = await openConversation(t, 'Is there a ferry to Ulva?', () => pieces());
  t.like(await lastOf(await ask()), { searched_for: REWORDED });
});
