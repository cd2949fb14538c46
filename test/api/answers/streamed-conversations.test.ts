import test from 'ava';
import { z } from 'zod';
import { Answer } from '#domain/records/answer.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { startFlow, type Flow } from '#test/support/harness/flow.ts';
import { startAnswerApi, type AnswerApi } from './answer-api.ts';

const Messages = z.object({ data: z.array(z.looseObject({ role: z.string(), content: z.string() })) });
const REWORDED = 'When does the ferry to Ulva leave?';

let api: AnswerApi;
let flow: Flow & { key: string };

test.before(async () => {
  [api, flow] = await Promise.all([startAnswerApi(), startFlow()]);
  await flow.upload(['content', 'The ferry to Ulva leaves at noon. Tickets are sold on board.']);
});
test.after.always(() => api?.close());

const isRewording = ({ instructions }: { instructions: string }) => instructions.startsWith('Rewrite');

test.serial('a streamed follow-up knows what was said, and is stored once, as it was streamed', async (t) => {
  const conversation = await createConversation();
  api.behave((asked) => (isRewording(asked) ? REWORDED : pieces('Yes, ', 'there is one [1].')));
  await streamed(await ask(conversation, 'Is there a ferry to Ulva?'));
  api.behave((asked) => (isRewording(asked) ? REWORDED : pieces('At no', 'on [', '1].')));
  const before = api.chat.requests.length;
  const events = await streamed(await ask(conversation, 'And when does it leave?'));
  const [rewording, answering] = api.chat.requests.slice(before).map(({ messages }) => JSON.stringify(messages));
  for (const request of [rewording, answering]) t.regex(request ?? '', /Is there a ferry to Ulva\?.*there is one/s);
  const deltas = events.flatMap(({ event, data }) =>
    event === 'delta' ? [z.object({ text: z.string() }).parse(data).text] : [],
  );
  const done = Answer.parse(events.at(-1)?.data);
  t.is(deltas.join(''), done.answer);
  t.is(done.searched_for, REWORDED);
  t.deepEqual(await messagesOf(conversation), [
    ['user', 'Is there a ferry to Ulva?'],
    ['assistant', 'Yes, there is one [1].'],
    ['user', 'And when does it leave?'],
    ['assistant', 'At noon [1].'],
  ]);
});

test.serial('a follow-up whose model breaks off is an error and leaves no trace, and can be asked again', async (t) => {
  const conversation = await createConversation();
  api.behave((asked) => (isRewording(asked) ? REWORDED : 'Yes [1].'));
  await streamed(await ask(conversation, 'Is there a ferry to Ulva?'));
  api.behave((asked) => {
    if (isRewording(asked)) return REWORDED;
    return (async function* () {
      yield 'At no';
      throw new Error('the model crashed');
    })();
  });
  const broken = await streamed(await ask(conversation, 'And when?'));
  t.like(broken.at(-1), { event: 'error', data: { code: 'dependency_unavailable' } });
  t.is((await messagesOf(conversation)).length, 2);
  api.behave((asked) => (isRewording(asked) ? REWORDED : 'At noon [1].'));
  const again = await streamed(await ask(conversation, 'And when?'));
  t.is(Answer.parse(again.at(-1)?.data).answer, 'At noon [1].');
  t.notRegex(JSON.stringify(api.chat.requests.at(-1)), /At no[^o]/, 'the broken answer is no history');
  t.is((await messagesOf(conversation)).length, 4);
});

test.serial(
  'a client that hangs up while its follow-up is reworded ends that request, and nothing is stored',
  async (t) => {
    const conversation = await createConversation();
    api.behave((asked) => (isRewording(asked) ? REWORDED : 'Yes [1].'));
    await streamed(await ask(conversation, 'Is there a ferry to Ulva?'));
    const rewording = Promise.withResolvers<void>();
    let isEnded = false;
    api.behave(() =>
      (async function* () {
        rewording.resolve();
        try {
          for (;;) {
            yield 'When ';
            await new Promise((resolve) => setTimeout(resolve, 5));
          }
        } finally {
          isEnded = true;
        }
      })(),
    );
    const leave = new AbortController();
    const left = ask(conversation, 'And when?', leave.signal).then(streamed);
    await rewording.promise;
    leave.abort();
    await t.throwsAsync(left);
    await eventually('the request to the model has ended', async () => isEnded);
    t.is((await messagesOf(conversation)).length, 2);
  },
);

test.serial('where the model cannot reword a follow-up, it is searched for as it was asked', async (t) => {
  for (const rewording of [{ status: 500 } as const, '']) {
    const conversation = await createConversation();
    api.behave((asked) => (isRewording(asked) ? REWORDED : 'Yes [1].'));
    await streamed(await ask(conversation, 'Is there a ferry to Ulva?'));
    api.behave((asked) => (isRewording(asked) ? rewording : 'At noon [1].'));
    const events = await streamed(await ask(conversation, 'When does this ferry to Ulva leave?'));
    const { answer, searched_for } = Answer.parse(events.at(-1)?.data);
    t.deepEqual([searched_for, answer], ['When does this ferry to Ulva leave?', 'At noon [1].']);
    t.is((await messagesOf(conversation)).length, 4);
  }
});

test.serial(
  'a follow-up that the model rewords so that nothing is found is searched for as it was asked',
  async (t) => {
    const asked = 'When does the ferry to Ulva leave then?';
    for (const [rewording, answer, searchedFor] of [
      ['Quarterly amortization of goodwill?', 'At noon [1].', asked],
      [REWORDED, 'At noon [1].', REWORDED],
    ] as const) {
      const conversation = await createConversation();
      api.behave((question) => (isRewording(question) ? REWORDED : 'Yes [1].'));
      await streamed(await ask(conversation, 'Is there a ferry to Ulva?'));
      api.behave((question) => (isRewording(question) ? rewording : answer));
      const events = await streamed(await ask(conversation, asked));
      t.like(events[0], { event: 'sources', data: { query: asked, searched_for: searchedFor } });
      t.like(Answer.parse(events.at(-1)?.data), { answer, searched_for: searchedFor, method: 'model' });
    }
    const conversation = await createConversation();
    api.behave((question) => (isRewording(question) ? REWORDED : 'Yes [1].'));
    await streamed(await ask(conversation, 'Is there a ferry to Ulva?'));
    api.behave((question) => (isRewording(question) ? 'Quarterly amortization of goodwill?' : 'not asked'));
    const events = await streamed(await ask(conversation, 'Phosphorylation of tyrosine kinases?'));
    const nothing = Answer.parse(events.at(-1)?.data);
    t.like(nothing, { method: 'nothing_found', searched_for: 'Quarterly amortization of goodwill?' });
  },
);

async function* pieces(...texts: string[]): AsyncGenerator<string> {
  yield* texts;
}

async function createConversation(): Promise<string> {
  const response = await api.post('/conversations', { title: 'Trip' }, flow);
  return z.object({ id: z.string() }).parse(await response.json()).id;
}

async function ask(conversation_id: string, query: string, signal?: AbortSignal): Promise<Response> {
  const json = { query, conversation_id, collection_ids: [flow.collectionId], stream: true };
  const response = await api.post('/answers', json, { key: flow.key, ...(signal ? { signal } : {}) });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return response;
}

/** All events of a stream, without the comments that keep its connection open. */
async function streamed(response: Response): Promise<{ event: string; data: unknown }[]> {
  const blocks = (await response.text()).split('\n\n').filter((block) => block.startsWith('event: '));
  return blocks.map((block) => {
    const [event = '', data = ''] = block.split('\ndata: ');
    const parsed: unknown = JSON.parse(data);
    return { event: event.slice('event: '.length), data: parsed };
  });
}

async function messagesOf(conversation: string): Promise<string[][]> {
  const response = await fetch(`${api.url}/conversations/${conversation}/messages`, {
    headers: { 'X-API-Key': flow.key },
  });
  return Messages.parse(await response.json()).data.map(({ role, content }) => [role, content]);
}
