import test from 'ava';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText } from 'ai';
import OpenAI, { APIError } from 'openai';
import { Answer } from '#domain/records/answer.ts';
import { startFlow, type Flow } from '#test/support/harness/flow.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { startAnswerApi, type AnswerApi } from './answer-api.ts';

const QUESTION = 'When does the ferry to Ulva leave?';

let api: AnswerApi;
let flow: Flow & { key: string };

test.before(async () => {
  [api, flow] = await Promise.all([startAnswerApi(), startFlow()]);
  await flow.upload(['content', 'The ferry to Ulva leaves at noon. Tickets are sold on board.']);
});
test.after.always(() => api?.close());

test.serial('streams sources, then text and citations as the model writes them, then the whole answer', async (t) => {
  const written = Promise.withResolvers<void>();
  api.behave(() =>
    (async function* () {
      yield 'At no';
      await written.promise;
      yield 'on [';
      yield '1].';
    })(),
  );
  const events = readEvents(await ask({ stream: true }));
  t.is((await events.next()).value?.event, 'sources');
  t.deepEqual((await events.next()).value, { event: 'delta', data: { text: 'At no' } });
  written.resolve();
  const rest = await collect(events);
  t.deepEqual([...new Set(rest.map(({ event }) => event))], ['delta', 'citation', 'done']);
  const done = Answer.parse(rest.at(-1)?.data);
  t.is(done.answer, 'At noon [1].');
  t.deepEqual(rest.find(({ event }) => event === 'citation')?.data, done.citations[0]);
});

test.serial('what is wrong with a request is a status, not an event', async (t) => {
  const response = await api.post('/answers', { query: '', stream: true }, flow);
  t.is(response.status, 422);
  t.regex(response.headers.get('content-type') ?? '', /json/);
});

test.serial('the stream begins while the question is still being reworded', async (t) => {
  const isBegun = Promise.withResolvers<void>();
  api.behave(({ instructions }) =>
    (async function* () {
      if (instructions.startsWith('Rewrite')) await isBegun.promise;
      yield QUESTION;
    })(),
  );
  const conversation_id = await createConversation();
  await (await ask({ conversation_id })).json();
  const response = await ask({ query: 'And back?', stream: true, conversation_id });
  isBegun.resolve();
  const events = await collect(readEvents(response));
  t.like(events[0], { event: 'sources', data: { searched_for: QUESTION } });
  t.is(events.at(-1)?.event, 'done');
});

test.serial('a search that fails before the first event has a status, in the form of OpenAI as well', async (t) => {
  const asked = { query: QUESTION, collection_ids: [flow.collectionId], stream: true };
  const filtered = await api.post('/answers', { ...asked, filters: { nonsense: { $no: 1 } } }, flow);
  t.is(filtered.status, 422);
  const unknown = '0198c0de-0000-7000-8000-00000000dead';
  t.is((await api.post('/answers', { ...asked, collection_ids: [unknown] }, flow)).status, 404);
  const messages = [{ role: 'user', content: QUESTION }];
  const chat = await api.post('/chat/completions', { model: `loci/${unknown}`, messages, stream: true }, flow);
  t.is(chat.status, 404);
});

test.serial('a model that falls silent ends the stream with an error', async (t) => {
  api.behave(() =>
    (async function* () {
      yield 'At ';
      await new Promise(() => undefined);
    })(),
  );
  const events = await collect(readEvents(await ask({ stream: true })));
  const last = events.at(-1);
  t.is(last?.event, 'error');
  t.like(last?.data, { code: 'dependency_unavailable' });
});

test.serial('a client that hangs up ends the request to the model, and nothing is stored', async (t) => {
  let ended = false;
  api.behave(() =>
    (async function* () {
      try {
        for (;;) {
          yield 'word ';
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      } finally {
        ended = true;
      }
    })(),
  );
  const conversation = await createConversation();
  const leave = new AbortController();
  const events = readEvents(await ask({ stream: true, conversation_id: conversation }, leave.signal));
  await events.next();
  await events.next();
  leave.abort();
  await eventually('the request to the model has ended', async () => ended);
  const { data } = (await (await get(`/conversations/${conversation}/messages`)).json()) as { data: unknown[] };
  t.deepEqual(data, []);
});

test.serial('a model that does not end is cut off', async (t) => {
  api.behave(() =>
    (async function* () {
      for (;;) yield 'word '.repeat(200);
    })(),
  );
  const answer = Answer.parse(await (await ask({})).json());
  t.is(answer.finish_reason, 'length');
  t.true(answer.answer.length < 20_000);
});

test.serial('an answer that the server of the model cuts off says so', async (t) => {
  for (const finish of ['length', 'content_filter']) {
    api.behave(() => ({ text: 'It leaves at [1]', finish }));
    const answer = Answer.parse(await (await ask({})).json());
    t.like(answer, { answer: 'It leaves at [1]', finish_reason: finish });
  }
  api.behave(() => ({ text: '', finish: 'content_filter' }));
  await t.throwsAsync(ask({}), { message: /^400: .*content filter/ });
  api.behave(() => ({ text: '<think>The passage [1]', finish: 'length' }));
  await t.throwsAsync(ask({}), { message: /^400: .*used all 1024 tokens before it wrote an answer/ });
  const messages = [{ role: 'user', content: QUESTION }];
  const completion = await api.post('/chat/completions', { model: `loci/${flow.collectionId}`, messages }, flow);
  t.is(completion.status, 400);
  const events = await collect(readEvents(await ask({ stream: true })));
  t.like(events.at(-1), { event: 'error', data: { code: 'invalid_request' } });
});

test.serial(
  'reasoning without an opening tag is left out of a whole answer, and ends a stream that has shown it',
  async (t) => {
    let isShown = Promise.resolve();
    api.behave(() =>
      (async function* () {
        yield 'They ask for the ferry [1].';
        await isShown;
        yield '\n</think>\n\nAt noon [1].';
      })(),
    );
    const messages = [{ role: 'user', content: QUESTION }];
    const model = `loci/${flow.collectionId}`;
    t.like(await (await ask({})).json(), { answer: 'At noon [1].', citations: [{ number: 1, at: 8 }] });
    t.like(await (await api.post('/chat/completions', { model, messages }, flow)).json(), {
      choices: [{ message: { content: 'At noon [1].' } }],
    });
    const shown = Promise.withResolvers<void>();
    isShown = shown.promise;
    const events = readEvents(await ask({ stream: true }));
    t.is((await events.next()).value?.event, 'sources');
    t.is((await events.next()).value?.event, 'delta');
    shown.resolve();
    const last = (await collect(events)).at(-1);
    t.like(last, { event: 'error', data: { code: 'invalid_request' } });
    t.regex(JSON.stringify(last?.data), /sends the reasoning of its model as the answer.*--reasoning-parser/);
  },
);

test.serial('the client of OpenAI gets answers and streams from it', async (t) => {
  api.behave(() => 'At noon [1].');
  const client = new OpenAI({ baseURL: api.url, apiKey: flow.key, maxRetries: 0 });
  const model = `loci/${flow.collectionId}`;
  const messages = [{ role: 'user' as const, content: QUESTION }];
  const completion = await client.chat.completions.create({ model, messages, temperature: 0 });
  t.is(completion.choices[0]?.message.content, 'At noon [1].');
  t.like(completion, { citations: [{ number: 1, quote: 'The ferry to Ulva leaves at noon.' }] });
  const chunks = await collect(await client.chat.completions.create({ model, messages, stream: true }));
  t.is(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''), 'At noon [1].');
  t.is(chunks.at(-1)?.choices[0]?.finish_reason, 'stop');
  const unknown = { model: 'loci/0198c0de-0000-7000-8000-00000000dead', messages };
  const error = await t.throwsAsync(client.chat.completions.create(unknown), { instanceOf: APIError });
  t.is(error.status, 404);
  t.regex(error.message, /collection/);
  const wrong = await t.throwsAsync(client.chat.completions.create({ model: 'gpt-4o', messages }), {
    instanceOf: APIError,
  });
  t.regex(wrong.message, /loci\//);
});

test.serial('the AI SDK streams from it', async (t) => {
  api.behave(() => 'At noon [1].');
  const provider = createOpenAICompatible({ name: 'loci', baseURL: api.url, apiKey: flow.key });
  const { textStream } = streamText({ model: provider.chatModel(`loci/${flow.collectionId}`), prompt: QUESTION });
  t.is((await collect(textStream)).join(''), 'At noon [1].');
});

async function ask(json: object, signal?: AbortSignal): Promise<Response> {
  const response = await api.post(
    '/answers',
    { query: QUESTION, collection_ids: [flow.collectionId], ...json },
    { key: flow.key, ...(signal === undefined ? {} : { signal }) },
  );
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return response;
}

async function createConversation(): Promise<string> {
  const response = await api.post('/conversations', { title: 'Trip' }, flow);
  return ((await response.json()) as { id: string }).id;
}

function get(path: string): Promise<Response> {
  return fetch(`${api.url}${path}`, { headers: { 'X-API-Key': flow.key } });
}

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

type Event = { event: string; data: unknown };

/** The events of a response, without the comments that keep its connection open. */
async function* readEvents(response: Response): AsyncGenerator<Event> {
  if (response.body === null) throw new Error('the response has no body');
  let text = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [event, data] = text.slice(0, end).split('\ndata: ');
      text = text.slice(end + 2);
      if (event?.startsWith('event: ') === true && data !== undefined)
        yield { event: event.slice('event: '.length), data: JSON.parse(data) };
    }
  }
}
