import { randomUUID } from 'node:crypto';
import test from 'ava';
import { z } from 'zod';
import { Answer } from '#domain/records/answer.ts';
import { Conversation } from '#domain/records/conversation.ts';
import { MessageList } from '#domain/records/message.ts';
import { apiClient, createKey } from '#test/support/harness/api-client.ts';
import { idsOf, startFlow, type Flow } from '#test/support/harness/flow.ts';
import { startAnswerApi, type AnswerApi } from './answer-api.ts';

let api: AnswerApi;
let flow: Flow & { key: string };

test.before(async () => {
  [api, flow] = await Promise.all([startAnswerApi(), startFlow()]);
  await flow.upload(['content', 'The ferry to Ulva leaves at noon. Tickets are sold on board.']);
});
test.after.always(() => api?.close());

test.serial('a repeated question with an Idempotency-Key is answered and stored once', async (t) => {
  api.behave(() => 'At noon [1].');
  const conversation_id = await createConversation();
  const question = { query: 'When does the ferry to Ulva leave?', conversation_id };
  const headers = { 'Idempotency-Key': randomUUID() };
  const send = (json: object) => api.post('/answers', json, { key: flow.key, headers });
  const first = Answer.parse(await (await send(question)).json());
  const asked = api.chat.requests.length;
  t.deepEqual(Answer.parse(await (await send(question)).json()), first);
  const { data } = await flow.api.get(`/conversations/${conversation_id}/messages`, MessageList);
  t.is(data.length, 2);
  for (const stream of [false, true]) {
    const other = await send({ ...question, query: 'Another?', stream });
    t.is(other.status, 422);
    t.is(((await other.json()) as { code: string }).code, 'idempotency_mismatch');
  }
  t.is(api.chat.requests.length, asked);
});

test.serial('an answer makes a conversation one about the collections that it was found in', async (t) => {
  api.behave(() => 'At noon [1].');
  const conversation_id = await createConversation();
  const other = await flow.api.createCollection('other');
  const { key } = await createKey({ workspaceId: flow.workspaceId, collections: [other.id] });
  const limited = apiClient(key);
  const path = `/conversations/${conversation_id}/messages`;
  t.is((await limited.get(path, MessageList)).total_count, 0);
  const question = { query: 'When does the ferry to Ulva leave?', conversation_id };
  t.is((await api.post('/answers', question, { key: flow.key })).status, 200);
  t.is((await limited.fail(path)).status, 404);
  t.is((await flow.api.get(path, MessageList)).total_count, 2);
  const conversation = await flow.api.get(`/conversations/${conversation_id}`, Conversation);
  t.deepEqual(conversation.collections, [flow.collectionId]);
});

test.serial('a repeated answer has no text of a document that was deleted', async (t) => {
  api.behave(() => 'At dusk [1].');
  const own = await startFlow({ key: { key: flow.key, workspaceId: flow.workspaceId } });
  const [contentId] = idsOf(
    await own.upload(['file', new File(['# Buses\n\nThe last bus to Salen leaves at dusk.'], 'timetable.md')]),
  );
  const collection_ids = [own.collectionId];
  const question = { query: 'When does the last bus to Salen leave?', collection_ids };
  const headers = { 'Idempotency-Key': randomUUID() };
  const conversation_id = await createConversation();
  const send = async () => {
    const response = await api.post('/answers', { ...question, conversation_id }, { key: flow.key, headers });
    return Answer.parse(await response.json());
  };
  const first = await send();
  t.is(first.citations[0]?.quote, 'The last bus to Salen leaves at dusk.');
  t.like(first.passages[0], { source: 'timetable.md', heading_path: ['Buses'] });
  t.deepEqual(await send(), first);
  await own.delete(contentId);
  const repeated = await send();
  t.is(repeated.answer, 'At dusk [1].');
  t.like(repeated.citations, { length: 1, 0: { number: 1, quote: null, start: null } });
  t.notRegex(JSON.stringify(repeated.passages), /Salen|Buses|timetable/);
  t.notRegex(JSON.stringify(repeated.citations), /timetable/);
});

test.serial('an answer of a deleted conversation is not repeated', async (t) => {
  api.behave(() => 'At noon [1].');
  const conversation_id = await createConversation();
  const question = { query: 'When does the ferry to Ulva leave?', conversation_id };
  const headers = { 'Idempotency-Key': randomUUID() };
  const send = () => api.post('/answers', question, { key: flow.key, headers });
  t.is((await send()).status, 200);
  t.is((await flow.api.send(`/conversations/${conversation_id}`, { method: 'DELETE' })).status, 204);
  t.is((await send()).status, 404);
});

test.serial('while a question is being answered, its Idempotency-Key answers 409', async (t) => {
  const [isAsked, mayWrite] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  api.behave(() =>
    (async function* () {
      isAsked.resolve();
      await mayWrite.promise;
      yield 'At noon [1].';
    })(),
  );
  const question = { query: 'When does the ferry to Ulva leave?', conversation_id: await createConversation() };
  const headers = { 'Idempotency-Key': randomUUID() };
  const send = () => api.post('/answers', { ...question, stream: true }, { key: flow.key, headers });
  const first = await send();
  await isAsked.promise;
  const second = await send();
  t.is(second.status, 409);
  t.is(((await second.json()) as { code: string }).code, 'idempotency_conflict');
  mayWrite.resolve();
  t.is(eventNames(await first.text()).at(-1), 'done');
  const repeated = eventNames(await (await send()).text());
  t.deepEqual(repeated, ['sources', 'delta', 'citation', 'done']);
});

async function createConversation(): Promise<string> {
  const { id } = await flow.api.post('/conversations', z.looseObject({ id: z.string() }), { json: {}, status: 201 });
  return id;
}

function eventNames(stream: string): string[] {
  return [...stream.matchAll(/^event: (\w+)$/gm)].map(([, name = '']) => name);
}
