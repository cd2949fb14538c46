import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { Caller } from '#domain/access/caller.ts';
import { AppError } from '#domain/app-error.ts';
import type { ChatPiece } from '#domain/chat-model.ts';
import { FairSlots } from '#domain/fair-slots.ts';
import type { AnswerEvent } from '#domain/records/answer.ts';
import { createSilentLog } from '#observability/log.ts';
import { askChatModel } from '#operations/answers/ask-chat-model.ts';
import { rewordQuestion } from '#operations/answers/reword-question.ts';
import { wholeAnswer } from '#operations/answers/whole-answer.ts';
import { createChatModel } from '#providers/models/chat-model.ts';
import { startChatServer, type ChatBehaviour } from '#test/support/servers/chat-server.ts';

const { signal } = new AbortController();
const question = { instructions: 'Be brief.', material: 'When?', maxOutputTokens: 50 };

/** A model, and a single turn for all who ask it. */
async function start(t: ExecutionContext, behaviour: ChatBehaviour) {
  const server = await startChatServer(behaviour);
  t.teardown(() => server.close());
  const chat = createChatModel({ baseUrl: server.baseUrl, apiKey: null, model: 'small', timeoutMs: 3_600_000 });
  if (chat === null) throw new Error('there is no model');
  const services = { chat, answerSlots: new FairSlots(1), log: createSilentLog() };
  const ask = (workspaceId: string, maxCharacters = 1_000) =>
    askChatModel(services, callerIn(workspaceId), { chat, question, maxCharacters, signal });
  return { services, ask };
}

function callerIn(workspaceId: string): Caller {
  const scope = { workspaceId, collectionIds: null };
  return { scope, apiKeyId: 'k', userId: null, permissions: ['*'], principal: 'p', workspaceIds: [workspaceId] };
}

async function collect(pieces: AsyncIterable<ChatPiece>): Promise<string> {
  let all = '';
  for await (const { text } of pieces) all += text;
  return all;
}

function textOf({ value }: IteratorResult<ChatPiece>): string {
  return value?.text ?? '';
}

test('an answer that nobody reads ends its turn with the model, and loses nothing', async (t) => {
  const { ask } = await start(t, () =>
    (async function* () {
      yield 'At ';
      yield 'noon.';
    })(),
  );
  const unread = ask('one');
  const first = await unread.next();
  t.is(await collect(ask('another')), 'At noon.');
  t.is(`${textOf(first)}${await collect(unread)}`, 'At noon.');
});

test('a model that writes too much is cut off though nobody reads, also within one piece', async (t) => {
  const { ask } = await start(t, () =>
    (async function* () {
      for (;;) yield 'word '.repeat(200);
    })(),
  );
  const unread = ask('one');
  const first = await unread.next();
  t.is((await collect(ask('another', 1_200))).length, 1_200);
  t.is(`${textOf(first)}${await collect(unread)}`.length, 1_000);
});

test('an answer that is cut off ends with the reason, whoever cut it', async (t) => {
  const { ask } = await start(t, () => ({ text: 'At noon.', finish: 'content_filter' }));
  const endOf = async (pieces: AsyncIterable<ChatPiece>) => {
    let last: ChatPiece['finish'] = null;
    for await (const { finish } of pieces) last = finish;
    return last;
  };
  t.is(await endOf(ask('one')), 'content_filter');
  t.is(await endOf(ask('one', 4)), 'length');
});

test('who leaves ends the request to the model, and the turn', async (t) => {
  const ended = Promise.withResolvers<void>();
  let count = 0;
  const { ask } = await start(t, () => {
    count += 1;
    if (count > 1) return 'At noon.';
    return (async function* () {
      try {
        for (;;) {
          yield 'x';
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      } finally {
        ended.resolve();
      }
    })();
  });
  const pieces = ask('one');
  await pieces.next();
  await pieces.return(undefined);
  await ended.promise;
  t.is(await collect(ask('one')), 'At noon.');
});

test('a model that fails fails the answer', async (t) => {
  const { ask } = await start(t, () => ({ status: 500 }));
  const error = await t.throwsAsync(collect(ask('one')), { instanceOf: AppError });
  t.is(error.code, 'dependency_unavailable');
});

test('a question is not reworded when the model takes too long, or has no turn', async (t) => {
  const { services, ask } = await start(t, () =>
    (async function* () {
      yield 'When ';
      await new Promise(() => undefined);
    })(),
  );
  const history = [{ role: 'user', content: 'Is there a ferry?' }];
  const reword = (limitMs: number) =>
    rewordQuestion(services, callerIn('one'), { query: 'And back?', history, signal, limitMs });
  t.is(await reword(100), 'And back?');
  const writing = ask('another');
  await writing.next();
  t.is(await reword(100), 'And back?');
  await writing.return(undefined);
});

test('a reworded question has no characters that cannot be searched for', async (t) => {
  const { services } = await start(t, () => 'When\0 does\ud83e it leave?\n');
  const history = [{ role: 'user', content: 'Is there a ferry?' }];
  const asked = { query: 'And back?', history, signal };
  t.is(await rewordQuestion(services, callerIn('one'), asked), 'When does\ufffd it leave?');
});

test('a question is not reworded by half a sentence', async (t) => {
  let finish = 'length';
  const { services } = await start(t, () => ({ text: 'When does the', finish }));
  const history = [{ role: 'user', content: 'Is there a ferry?' }];
  const reword = () => rewordQuestion(services, callerIn('one'), { query: 'And back?', history, signal });
  t.is(await reword(), 'And back?');
  finish = 'content_filter';
  t.is(await reword(), 'And back?');
  finish = 'stop';
  t.is(await reword(), 'When does the');
});

test('a whole answer that takes too long is an error that says what to do', async (t) => {
  const ask = async (within: AbortSignal) =>
    (async function* (): AsyncGenerator<AnswerEvent> {
      for (;;) {
        await delay(60_000, undefined, { signal: within });
        yield { event: 'delta', data: { text: 'At ' } };
      }
    })();
  const error = await t.throwsAsync(wholeAnswer(ask, { signal, limitMs: 50 }), { instanceOf: AppError });
  t.is(error.code, 'dependency_unavailable');
  t.regex(error.message, /"stream": true/);
  const leave = new AbortController();
  const left = wholeAnswer(ask, { signal: leave.signal });
  leave.abort();
  await t.throwsAsync(left, { name: 'AbortError' });
});
