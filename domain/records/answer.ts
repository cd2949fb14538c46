import { z } from 'zod';
import type { ChatFinish } from '#domain/chat-model.ts';
import { Id, textField } from './fields.ts';
import { RERANKING, RerankOption } from './rerank-option.ts';
import { FailedCollection, MAX_SEARCHED_COLLECTIONS, SearchFilters, SEARCH_TYPES } from './search.ts';

export const AnswerRequest = z
  .strictObject({
    query: textField(8_192, 1).meta({ description: 'The question, 1 to 8,192 characters.' }),
    collection_ids: z
      .array(Id)
      .max(MAX_SEARCHED_COLLECTIONS)
      .default([])
      .meta({
        description:
          'Collections that the answer rests on, at most 50. Without them: every collection with content that your ' +
          'credentials reach; 422 if these are more than 50.',
      }),
    search_type: z.enum(SEARCH_TYPES).default('hybrid').meta({ description: 'How passages are searched for.' }),
    filters: SearchFilters,
    max_results: z
      .int()
      .min(1)
      .max(50)
      .default(10)
      .meta({ description: 'Largest number of passages that the answer may cite, 1 to 50; those that fit are used.' }),
    min_score: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .meta({
        description:
          'Smallest relevance of the best passage, 0 to 1: below it nothing counts as found, and no model is asked. 0.5 by ' +
          'default, 0 with `search_type` `keyword`. It is measured like `min_score` of a search.',
      }),
    rerank: RerankOption.optional(),
    conversation_id: Id.optional().meta({
      description:
        'Conversation that the question continues: its last messages are taken into account, and question and answer are ' +
        'stored in it. Needs the permissions `messages:read` and `messages:write`.',
    }),
    stream: z.boolean().default(false).meta({
      description: 'Whether to answer with server-sent events, as the answer is written.',
    }),
  })
  .meta({ id: 'AnswerRequest' });
export type AnswerRequest = z.infer<typeof AnswerRequest>;

export const AnswerPassage = z
  .object({
    number: z.int().meta({ description: 'Number by which the answer cites the passage, from 1.' }),
    content: z.string().meta({
      description:
        'Text of the chunk; empty, like source and heading_path, in the answer to a repeated request if it was deleted in between.',
    }),
    content_id: Id.meta({ description: 'Content that the passage is part of.' }),
    collection_id: Id.meta({ description: 'Collection in which it was found.' }),
    chunk_id: Id.meta({ description: 'Id of the chunk.' }),
    source: z.string().meta({ description: 'File name or URL of the content.' }),
    page: z.int().nullable().meta({ description: 'Page, from 1; null for formats without pages.' }),
    heading_path: z.array(z.string()).meta({ description: 'Titles of the headings above, outermost first.' }),
    score: z.number().meta({ description: 'Rank score; higher is better. Comparable within one response only.' }),
    relevance: z
      .number()
      .meta({ description: 'Relevance to what was searched for, 0 to 1. Comparable between responses.' }),
  })
  .meta({ id: 'AnswerPassage' });
export type AnswerPassage = z.infer<typeof AnswerPassage>;

export const Citation = z
  .object({
    number: z.int().meta({ description: 'Number of the passage that is cited.' }),
    at: z.int().meta({ description: 'Where the mark `[n]` starts in the answer, in UTF-16 code units.' }),
    content_id: Id.meta({ description: 'Content that is cited.' }),
    chunk_id: Id.meta({ description: 'Chunk that is cited.' }),
    source: z.string().meta({ description: 'File name or URL of the content.' }),
    page: z.int().nullable().meta({ description: 'Page, from 1; null for formats without pages.' }),
    quote: z
      .string()
      .nullable()
      .meta({
        description:
          'Sentence of the passage that has most words in common with the statement before the mark. Null when none has any in common: ' +
          'check such a citation.',
      }),
    start: z.int().nullable().meta({
      description: 'Where `quote` starts in the text of the passage, in UTF-16 code units; null without a quote.',
    }),
    end: z
      .int()
      .nullable()
      .meta({ description: 'Where `quote` ends in the text of the passage; null without a quote.' }),
  })
  .meta({ id: 'Citation' });
export type Citation = z.infer<typeof Citation>;

/** How an answer came about. */
const ANSWER_METHODS = ['model', 'sentences', 'nothing_found'] as const;
export const FINISH_REASONS = ['stop', 'length', 'content_filter'] as const satisfies readonly ChatFinish[];

export const Answer = z
  .object({
    query: z.string().meta({ description: 'Query of the request.' }),
    answer: z
      .string()
      .meta({ description: 'The answer, with marks such as `[1]` that cite passages by their number.' }),
    method: z.enum(ANSWER_METHODS).meta({
      description:
        '`model`: a chat model wrote the answer. `sentences`: no chat model is configured, and the answer is made of the best ' +
        'sentences of the passages, unchanged except for images, tags, what looks like a mark, and rows of tables, which are ' +
        'read out with the titles of their columns. `nothing_found`: no passage is relevant enough, and no model was asked.',
    }),
    model: z.string().nullable().meta({ description: 'Name of the chat model; null when none was asked.' }),
    finish_reason: z.enum(FINISH_REASONS).meta({
      description:
        '`length`: the answer is cut off, because the model reached the limit of its length. `content_filter`: a filter of the ' +
        "model's server ended it. Otherwise `stop`.",
    }),
    searched_for: z.string().meta({
      description:
        'What was searched for: the query, or in a conversation the query reworded so that it can be understood alone. Where that ' +
        'finds nothing, the query itself is searched for too, and is given here if it finds something.',
    }),
    citations: z.array(Citation).meta({ description: 'One for each mark of the answer, in its order: at most 100.' }),
    passages: z.array(AnswerPassage).meta({ description: 'Passages that the answer could cite, best first.' }),
    ...RERANKING,
    failed_collections: z.array(FailedCollection).meta({
      description:
        'Collections that could not be searched: the answer rests on the others. If nothing was found in the others, the response ' +
        'is the error of the first of them.',
    }),
    conversation_id: Id.nullable().meta({
      description: 'Conversation in which question and answer were stored; null when the request names none.',
    }),
    execution_time_ms: z.number().meta({ description: 'Duration in milliseconds, with two decimals.' }),
  })
  .meta({ id: 'Answer' });
export type Answer = z.infer<typeof Answer>;

/** What a stream of an answer consists of, in this order: one `sources`, then `delta` and `citation`, then `done`. */
export type AnswerEvent =
  | { event: 'sources'; data: Pick<Answer, 'query' | 'searched_for' | 'passages' | 'failed_collections'> }
  | { event: 'delta'; data: { text: string } }
  | { event: 'citation'; data: Citation }
  | { event: 'done'; data: Answer };
