import { randomUUID } from 'node:crypto';
import { AppError, validationError } from '#domain/app-error.ts';
import { readChat, type ReadChat } from '#domain/answers/read-chat.ts';
import { estimateUsage } from '#domain/answers/estimate-usage.ts';
import { AnswerRequest, type Answer, type AnswerEvent } from '#domain/records/answer.ts';
import { ChatCompletion, ChatCompletionRequest, collectionsOfModel } from '#domain/records/chat-completion.ts';
import { answerQuestion } from '#operations/answers/answer-question.ts';
import { wholeAnswer } from '#operations/answers/whole-answer.ts';
import { abortOnClose } from '#api/http/request/abort-on-close.ts';
import { lateErrorBody } from '#api/http/response/answer-errors.ts';
import { ClientClosedRequest } from '#api/http/response/http-error.ts';
import { eventStreamReply, type ServerSentEvent } from '#api/http/response/server-sent-events.ts';
import { route } from '#api/http/route.ts';
import { MODEL_STATUSES } from '../model-statuses.ts';

export const createChatCompletionRoute = route(
  {
    method: 'post',
    path: '/chat/completions',
    tag: 'Answers',
    summary: 'Answer the last message of a chat, in the form of the OpenAI API',
    description: [
      'For clients of the OpenAI API: their base URL is `/api/v1` of this service, and their key is an API key. The model',
      '`loci/<collection_id>` names the collection. The last message of the user is searched for: it has at most 8,192 characters,',
      'so do not add documents to it. Apart from its form, the answer is that of `POST /answers`; `citations` and',
      '`passages` are added to it, and to the last chunk of a stream. Nothing is stored. Errors have the fields of this API and, for',
      'its clients, the field `error` of the OpenAI API.',
    ].join('\n'),
    permission: 'collections:read',
    extension: true,
    body: ChatCompletionRequest,
    response: ChatCompletion,
    errorForm: 'openai',
    eventStream: {
      description: 'With `stream`: chunks as in the OpenAI API, then `[DONE]`',
      example:
        'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"A rotated token"}}]}\n\n',
    },
    otherStatuses: {
      400: MODEL_STATUSES.chatRefused,
      409: 'The embedder of the collections is not configured',
      422: MODEL_STATUSES.embeddingRejected,
    },
  },
  async ({ services, caller, body, context }) => {
    const gone = abortOnClose(context);
    const head = {
      id: `chatcmpl-${randomUUID()}`,
      created: Math.floor(services.clock.now().getTime() / 1000),
      model: body.model,
    };
    try {
      const { history, style, request } = readQuestion(body);
      const ask = (signal: AbortSignal) => answerQuestion(services, caller, { request, history, style, signal });
      const completed = { head, asked: { history, style } };
      if (body.stream !== true) return toCompletion(completed, await wholeAnswer(ask, { signal: gone }));
      return await eventStreamReply(chunksOf(completed, await ask(gone)), (error) =>
        gone.aborted ? [] : [{ data: JSON.stringify(lateErrorBody(context, error, services.log)) }],
      );
    } catch (error) {
      if (gone.aborted) throw new ClientClosedRequest({ cause: error });
      throw inTermsOfModel(error);
    }
  },
);

type Head = { id: string; created: number; model: string };
type Completed = { head: Head; asked: Pick<ReadChat, 'history' | 'style'> };

/** @throws AppError `validation_failed` without a question, for one that is not only text, and for a model that names no collections. */
function readQuestion(body: ChatCompletionRequest) {
  const { query, unreadPart, style, history } = readChat(body.messages);
  const stream = body.stream === true;
  if (unreadPart !== null) {
    const msg = `The last user message has a part of type ${unreadPart}, but the question must be text: send only parts of type text`;
    throw validationError([{ loc: ['body', 'messages'], msg, type: 'unsupported_part' }]);
  }
  if (query === null) {
    throw validationError([{ loc: ['body', 'messages'], msg: 'A message of role user is required', type: 'missing' }]);
  }
  const parsed = AnswerRequest.safeParse({ query, collection_ids: collectionsOfModel(body.model), stream });
  if (parsed.success) return { style, history, request: parsed.data };
  throw validationError(
    parsed.error.issues.map(({ path: [field], message, code }) => ({
      loc: ['body', field === 'query' ? 'messages' : 'model'],
      msg: field === 'query' ? `The last message of the user: ${message}` : MODEL_RULE,
      type: code,
    })),
  );
}

const MODEL_RULE = 'Must be loci/ and the ids of at most 50 collections, with commas: loci/<id>,<id>';

/** The collections of this request are in the name of its model. */
function inTermsOfModel(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'validation_failed') return error;
  return validationError(
    error.issues.map((issue) =>
      issue.type === 'too_many_collections'
        ? { ...issue, loc: ['body', 'model'], msg: `${issue.msg}, such as loci/<id>,<id>` }
        : issue,
    ),
  );
}

function toCompletion({ head, asked }: Completed, answer: Answer): ChatCompletion {
  const { passages, citations, failed_collections, finish_reason } = answer;
  return {
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: answer.answer }, finish_reason }],
    usage: estimateUsage({ ...asked, ...answer }),
    citations,
    passages,
    failed_collections,
  };
}

async function* chunksOf(completed: Completed, events: AsyncGenerator<AnswerEvent>): AsyncGenerator<ServerSentEvent> {
  const chunk = (delta: object, finish_reason: string | null = null, more: object = {}): ServerSentEvent => ({
    data: JSON.stringify({
      ...completed.head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason }],
      ...more,
    }),
  });
  for await (const { event, data } of events) {
    if (event === 'sources') yield chunk({ role: 'assistant', content: '' });
    if (event === 'delta') yield chunk({ content: data.text });
    if (event !== 'done') continue;
    const { usage, citations, passages, failed_collections } = toCompletion(completed, data);
    yield chunk({}, data.finish_reason, { usage, citations, passages, failed_collections });
  }
  yield { data: '[DONE]' };
}
