import type { Answer, AnswerPassage, Citation } from '#domain/records/answer.ts';
import type { ChatCompletion } from '#domain/records/chat-completion.ts';
import { CREATED_S, exampleIds } from './example-ids.ts';
import type { OperationExample } from './operation-example.ts';

const query = 'What happens to a token when the database fails?';
const text = 'A rotated token survives an outage of the database [1].';

const passage: AnswerPassage = {
  number: 1,
  content: 'A rotated token survives an outage of the database. It is refreshed later.',
  content_id: exampleIds.content,
  collection_id: exampleIds.collection,
  chunk_id: exampleIds.chunk,
  source: 'handbook.pdf',
  page: 2,
  heading_path: ['Operations', 'Tokens'],
  score: 0.87,
  relevance: 0.91,
};

const citation: Citation = {
  number: 1,
  at: 51,
  content_id: exampleIds.content,
  chunk_id: exampleIds.chunk,
  source: 'handbook.pdf',
  page: 2,
  quote: 'A rotated token survives an outage of the database.',
  start: 0,
  end: 51,
};

const answer: Answer = {
  query,
  answer: text,
  method: 'model',
  model: 'gpt-4o-mini',
  finish_reason: 'stop',
  searched_for: query,
  citations: [citation],
  passages: [passage],
  failed_collections: [],
  conversation_id: null,
  execution_time_ms: 812.4,
};

const completion: ChatCompletion = {
  id: `chatcmpl-${exampleIds.request}`,
  object: 'chat.completion',
  created: CREATED_S,
  model: `loci/${exampleIds.collection}`,
  choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 41, completion_tokens: 19, total_tokens: 60 },
  citations: [citation],
  passages: [passage],
  failed_collections: [],
};

/** Examples of the operations that answer questions. */
export const answerExamples = {
  createAnswer: {
    body: { query, collection_ids: [exampleIds.collection], filters: { lang: 'en' }, max_results: 8 },
    response: answer,
  },
  createChatCompletion: {
    body: { model: `loci/${exampleIds.collection}`, messages: [{ role: 'user', content: query }] },
    response: completion,
  },
} satisfies Record<string, OperationExample>;
