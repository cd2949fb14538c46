import { z } from 'zod';
import { CONTENT_STATUSES } from '#domain/statuses.ts';
import { FailureCode, Id } from './fields.ts';
import { RERANKING, RerankOption } from './rerank-option.ts';
import { SearchFilters, SEARCH_TYPES } from './search.ts';

/** Why a search does not have a content, in the order in which they are examined: the first one that holds is the reason. */
const MISSING_REASONS = [
  'not_in_collection',
  'not_ingested',
  'filtered_out',
  'filters_outdated',
  'not_indexed',
  'not_matched',
  'below_threshold',
  'below_cut',
  'found',
] as const;

export const ExplainSearchRequest = z
  .strictObject({
    query: z.string().min(1).max(8192).meta({ description: 'Query of the search.' }),
    content_id: Id.optional().meta({ description: 'Content that was expected. Send this or `chunk_id`.' }),
    chunk_id: Id.optional().meta({ description: 'Chunk that was expected.' }),
    collection_id: Id.optional().meta({
      description: 'Collection that was searched; by default the one that the content was uploaded to.',
    }),
    search_type: z.enum(SEARCH_TYPES).default('hybrid').meta({ description: 'Search type of the search.' }),
    filters: SearchFilters,
    max_results: z.int().min(1).max(100).default(10).meta({ description: 'Number of results of the search.' }),
    min_score: z.number().min(0).max(1).optional().meta({ description: '`min_score` of the search.' }),
    rerank: RerankOption.optional().meta({ description: '`rerank` of the search.' }),
  })
  .refine(({ content_id, chunk_id }) => (content_id === undefined) !== (chunk_id === undefined), {
    when: ({ value }) => typeof value === 'object' && value !== null,
    path: ['content_id'],
    message: 'Send content_id or chunk_id, one of them',
    params: { type: 'missing' },
  })
  .meta({ id: 'ExplainSearchRequest' });
export type ExplainSearchRequest = z.infer<typeof ExplainSearchRequest>;

const Scalar = z.union([z.string(), z.number(), z.boolean()]);

const FilterCheck = z
  .object({
    condition: z.string().meta({ description: 'The condition in words, such as `metadata.lang is "de"`.' }),
    holds: z.boolean().meta({ description: 'Whether the content, or one of its chunks, fulfils it.' }),
    seen: z
      .array(
        z.object({
          field: z.string().meta({ description: 'Field of the condition.' }),
          values: z.array(Scalar).meta({ description: 'Values of the field, at most 20; empty when it has none.' }),
        }),
      )
      .meta({ description: 'The fields of the condition with the values found in them.' }),
  })
  .meta({ id: 'FilterCheck' });

const QueryTerm = z
  .object({
    word: z.string().meta({ description: 'Word of the query.' }),
    looked_up: z.array(z.string()).meta({
      description: 'Forms under which it is looked up: the word and its stems, at most 10.',
    }),
    found: z.array(z.string()).meta({ description: 'Words of the chunk that match it, as spelled there, at most 10.' }),
  })
  .meta({ id: 'QueryTerm' });
export type QueryTerm = z.infer<typeof QueryTerm>;

const LegPlace = z
  .object({
    is_matched: z.boolean().meta({ description: 'Whether this search finds the chunk, at any rank.' }),
    rank: z
      .int()
      .nullable()
      .meta({ description: 'Place among all hits of this search, from 1; null beyond the first 1,000.' }),
    score: z.number().nullable().meta({ description: 'BM25, or cosine similarity; null when it is not matched.' }),
  })
  .meta({ id: 'LegPlace' });
export type LegPlace = z.infer<typeof LegPlace>;

const Competitor = z.object({
  rank: z.int().meta({ description: 'Place in the results, from 1.' }),
  score: z.number().meta({ description: 'Score in the results.' }),
  chunk_id: Id.meta({ description: 'Id of the chunk.' }),
  content_id: Id.meta({ description: 'Id of its content.' }),
  source: z.string().meta({ description: 'File name or URL of its content.' }),
});

const ContentStatusFields = z.object({
  status: z
    .enum(CONTENT_STATUSES)
    .nullable()
    .meta({
      description:
        'Status of the content in this collection, or in the one that it was uploaded to if this one does not have it. Null, like the next ' +
        'two fields, unless your credentials have `contents:read`.',
    }),
  status_message: z.string().nullable().meta({ description: 'What it waits for, or why it failed.' }),
  error_code: FailureCode.nullable().meta({ description: 'Code of the failure; null when it did not fail.' }),
});
export type ContentStatusFields = z.infer<typeof ContentStatusFields>;

export const MissingResult = z
  .object({
    reason: z.enum(MISSING_REASONS).meta({
      description:
        'The first of these that holds. `not_in_collection`: the content is in other collections only. `not_ingested`: it has no ' +
        'searchable version there, see `content`. `filtered_out`: see `filters`. `filters_outdated`: its filter fields have changed, ' +
        'and the index does not have the change yet. `not_indexed`: the index does not have it. `not_matched`: no word of the query ' +
        'is in it. `below_threshold`: `relevance` is smaller than `min_score`. `below_cut`: others rank higher, see `lost_to`. `found`: it is among the results.',
    }),
    message: z.string().meta({ description: 'The reason and what to do, for people.' }),
    query: z.string().meta({ description: 'Query of the request.' }),
    search_type: z.enum(SEARCH_TYPES).meta({ description: 'Search type of the request.' }),
    collection_id: Id.meta({ description: 'Collection that was examined.' }),
    content: z
      .object({
        id: Id.meta({ description: 'Id of the content.' }),
        name: z.string().meta({ description: 'Name of the content.' }),
        ...ContentStatusFields.shape,
      })
      .meta({ description: 'The content that was expected.' }),
    chunk_id: Id.nullable().meta({
      description:
        'Chunk that was examined: the one of the request, or the best of the content. Null without a searchable one.',
    }),
    filters: z.array(FilterCheck).meta({ description: 'Each condition of `filters`; empty when it was not examined.' }),
    terms: z
      .array(QueryTerm)
      .meta({ description: 'Words of the query, function words left out. Empty when not examined.' }),
    keyword: LegPlace.nullable().meta({ description: 'Place in the keyword search; null when it was not examined.' }),
    vector: LegPlace.nullable().meta({ description: 'Place in the vector search; null when it was not examined.' }),
    rank: z.int().nullable().meta({
      description:
        'Place in the ranking of the search before reranking, from 1; null when not examined, or beyond the first 1,000.',
    }),
    score: z.number().nullable().meta({ description: 'Score in that ranking.' }),
    rerank: z
      .object({
        rank: z.int().meta({ description: 'Place in the order of the reranking model, from 1.' }),
        score: z.number().meta({ description: 'Score that the model returned, unchanged.' }),
      })
      .nullable()
      .meta({ description: 'Place after reranking; null when no chunk of the content was reranked.' }),
    ...RERANKING,
    relevance: z
      .number()
      .nullable()
      .meta({ description: 'Relevance, 0 to 1; null unless the request sets `min_score`.' }),
    lost_to: z.array(Competitor).meta({ description: 'Results that rank higher, at most the last 10 of them.' }),
  })
  .meta({ id: 'MissingResult' });
export type MissingResult = z.infer<typeof MissingResult>;
