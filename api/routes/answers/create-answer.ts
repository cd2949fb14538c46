import { Answer, AnswerRequest, type AnswerEvent } from '#domain/records/answer.ts';
import { answerQuestion } from '#operations/answers/answer-question.ts';
import { wholeAnswer } from '#operations/answers/whole-answer.ts';
import { abortOnClose } from '#api/http/request/abort-on-close.ts';
import { lateErrorBody } from '#api/http/response/answer-errors.ts';
import { ClientClosedRequest } from '#api/http/response/http-error.ts';
import { eventStreamReply, type ServerSentEvent } from '#api/http/response/server-sent-events.ts';
import { route } from '#api/http/route.ts';
import { MODEL_STATUSES } from '../model-statuses.ts';

export const createAnswerRoute = route(
  {
    method: 'post',
    path: '/answers',
    tag: 'Answers',
    summary: 'Answer a question with citations',
    description: [
      'Searches the collections, and has the chat model answer from the passages that were found. Each mark `[n]` of the answer',
      'cites a passage that the model was given, with the sentence that the statement rests on; other marks are removed.',
      'If nothing is found, the model is not asked. Without a chat model the answer is made of the best sentences of the',
      'passages, and `method` says so.',
      '',
      'With `stream`, the response consists of server-sent events: `sources` (the passages), then `delta` (the next piece of',
      'text) and `citation`, then `done` (the whole answer, as without `stream`) or `error` (an error body). To end the work,',
      'close the connection: then nothing is stored. Lines that start with a colon only keep the connection open.',
      '',
      'With an `Idempotency-Key`, a question of a conversation is answered and stored once: if the request is repeated, the stored',
      'answer is returned, or 409 while it is still being written.',
      '',
      'Documents and messages are given to the model as data, but it may obey instructions in them nevertheless: trust the answer',
      'no more than a text by a stranger. It can only cite the passages of the response.',
    ].join('\n'),
    permission: 'collections:read',
    extension: true,
    idempotent: true,
    body: AnswerRequest,
    response: Answer,
    eventStream: {
      description: 'With `stream`: events `sources`, `delta`, `citation`, `done` and `error`, each with JSON as data',
      example: 'event: delta\ndata: {"text":"A rotated token survives"}\n\n',
    },
    otherStatuses: {
      400: MODEL_STATUSES.chatRefused,
      409: 'The conversation is not active, or the embedder of the collections is not configured',
      422: MODEL_STATUSES.embeddingRejected,
    },
  },
  async ({ services, caller, body, idempotency, context }) => {
    const gone = abortOnClose(context);
    try {
      const ask = (signal: AbortSignal) => answerQuestion(services, caller, { request: body, idempotency, signal });
      if (!body.stream) return await wholeAnswer(ask, { signal: gone });
      const failure = (error: unknown): ServerSentEvent[] =>
        gone.aborted ? [] : [{ event: 'error', data: JSON.stringify(lateErrorBody(context, error, services.log)) }];
      return await eventStreamReply(eventsOf(await ask(gone)), failure);
    } catch (error) {
      if (gone.aborted) throw new ClientClosedRequest({ cause: error });
      throw error;
    }
  },
);

async function* eventsOf(events: AsyncGenerator<AnswerEvent>): AsyncGenerator<ServerSentEvent> {
  for await (const { event, data } of events) yield { event, data: JSON.stringify(data) };
}
