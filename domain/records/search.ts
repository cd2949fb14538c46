import { z } from 'zod';
import { AppError } from '#domain/app-error.ts';
import { parseFilter } from '#domain/filters/parse-filter.ts';
import { CHUNK_FIELDS, ChunkMetadata } from './chunk.ts';
import { FacetCounts, RESULT_EXTRAS, SEARCH_OPTIONS } from './search-options.ts';
import { FailureCode, Id } from './fields.ts';
import { RERANKING } from './rerank-option.ts';

export const SEARCH_TYPES = ['vector', 'keyword', 'hybrid'] as const;
export type SearchType = (typeof SEARCH_TYPES)[number];

/** Collections that one search reads: each is a query of the index. */
export const MAX_SEARCHED_COLLECTIONS = 50;

/** Runs with the schema, so that problems of the filter are reported together with those of the other fields. */
function checkFilter(filters: Record<string, unknown>, context: z.core.$RefinementCtx): void {
  try {
    parseFilter(filters, [], CHUNK_FIELDS);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    for (const { loc, msg, type } of error.issues) {
      context.addIssue({ code: 'custom', path: loc, message: msg, params: { type } });
    }
  }
}

/** Conditions of a search, `{}` for none. */
export const SearchFilters = z.record(z.string(), z.unknown()).superRefine(checkFilter).default({}).meta({
  description:
    'Conditions on contents and chunks, such as `{"lang": "en", "year": {"$gte": 2020}}`: at most 16 levels, 128 conditions and 1,024 values.',
});

export const SearchRequest = z
  .strictObject({
    query: z
      .string()
      .min(1)
      .max(8192)
      .meta({ description: 'What to search for, 1 to 8,192 characters: a question, or words.' }),
    collection_id: Id.optional().meta({
      description: 'Collection to search. Required, unless `collection_ids` names several.',
    }),
    collection_ids: z
      .array(Id)
      .max(MAX_SEARCHED_COLLECTIONS)
      .optional()
      .meta({
        description:
          'Collections to search together, instead of `collection_id`: at most 50. An empty list searches every collection with ' +
          'content that your credentials reach; 422 if these are more than 50.',
      }),
    search_type: z
      .enum(SEARCH_TYPES)
      .default('hybrid')
      .meta({ description: '`vector` searches by meaning, `keyword` by words (BM25), `hybrid` combines both.' }),
    filters: SearchFilters,
    max_results: z.int().min(1).max(100).default(10).meta({ description: 'Largest number of results.' }),
    explain: z.boolean().default(false).meta({
      description: 'Whether to add to each result its rank and raw score in the keyword and the vector search.',
    }),
    ...SEARCH_OPTIONS,
  })
  .refine(({ collection_id, collection_ids }) => collection_id !== undefined || collection_ids !== undefined, {
    // Also beside other problems, so that one response lists them all.
    when: ({ value }) => typeof value === 'object' && value !== null,
    path: ['collection_id'],
    message: 'Field required. To search several collections, send collection_ids: a list of ids, or [] for all',
    params: { type: 'missing' },
  })
  .refine(({ collection_id, collection_ids }) => collection_id === undefined || collection_ids === undefined, {
    path: ['collection_ids'],
    message: 'Send collection_id or collection_ids, not both',
    params: { type: 'conflicting_fields' },
  })
  .refine(({ group_by, max_per_content }) => group_by !== undefined || max_per_content === undefined, {
    path: ['max_per_content'],
    message: 'Send group_by: content with it',
    params: { type: 'missing' },
  })
  .meta({ id: 'SearchRequest' });
export type SearchRequest = z.infer<typeof SearchRequest>;

/** Rank and score of a chunk in one of the two searches. */
const SearchLeg = z
  .object({
    rank: z.int().meta({ description: 'Place among the hits of this search, from 1.' }),
    score: z
      .number()
      .meta({ description: 'Raw score: BM25 of the keyword search, cosine similarity of the vector search.' }),
  })
  .meta({ id: 'SearchLeg' });

const LEG_HITS =
  '100, or with `collection_ids` in each collection as many as the search ranks, at least 50. The rank is then among the hits of all';

const SearchExplanation = z
  .object({
    keyword: SearchLeg.nullable().meta({
      description: `Keyword search; null when it did not run, or the chunk is not among its first hits: ${LEG_HITS}.`,
    }),
    vector: SearchLeg.nullable().meta({
      description: `Vector search; null when it did not run, or the chunk is not among its first hits: ${LEG_HITS}.`,
    }),
    rerank: z
      .object({
        rank: z.int().meta({ description: 'Place in the order of the reranking model, from 1.' }),
        score: z
          .number()
          .meta({ description: 'Score that the model returned, unchanged: any number; higher is better.' }),
      })
      .nullable()
      .optional()
      .meta({
        description:
          'Reranking model; null when the chunk was not reranked. Present only when the request sets `rerank`.',
      }),
  })
  .meta({ id: 'SearchExplanation' });

const SearchedChunk = ChunkMetadata.extend({
  id: Id.meta({ description: 'Id of the chunk.' }),
  index: z.int().meta({ description: 'Position of the chunk in its content, from 0.' }),
}).meta({ id: 'SearchedChunk' });

export const SearchResult = z
  .object({
    content: z.string().meta({ description: 'Text of the chunk that was found.' }),
    score: z.number().meta({
      description:
        'Rank score; higher is better. Comparable within one response only. After reranking it is the score of the model, 0 to 1, and ' +
        'not higher for hits that were not reranked.',
    }),
    metadata: z
      .looseObject({
        chunk: z.union([SearchedChunk, z.unknown()]).meta({
          description:
            'The same as `chunk` of the result, unless the metadata of the content has a key `chunk` of its own.',
        }),
      })
      .meta({ description: 'Metadata of the content, with `chunk` added.' }),
    chunk: SearchedChunk.meta({ description: 'The chunk that was found, and where it is in its document.' }),
    content_id: Id.meta({ description: 'Content that the chunk is part of.' }),
    collection_id: Id.meta({ description: 'Collection in which the chunk was found.' }),
    source: z.string().meta({ description: 'File name or URL of the content.' }),
    explain: SearchExplanation.optional().meta({
      description: 'Rank and score in each search. Present only when the request sets `explain`.',
    }),
    ...RESULT_EXTRAS,
  })
  .meta({ id: 'SearchResult' });
export type SearchResult = z.infer<typeof SearchResult>;

export const FailedCollection = z
  .object({
    collection_id: Id.meta({ description: 'Collection that was not searched.' }),
    code: FailureCode.meta({ description: 'What is wrong, for programs: an error code of requests.' }),
    message: z.string().meta({ description: 'What is wrong and what to do, for people.' }),
  })
  .meta({ id: 'FailedCollection' });
export type FailedCollection = z.infer<typeof FailedCollection>;

export const SearchResponse = z
  .object({
    results: z.array(SearchResult).meta({ description: 'Chunks that were found, best first.' }),
    total_results: z.int().meta({ description: 'Number of results in this response.' }),
    query: z.string().meta({ description: 'Query of the request.' }),
    search_type: z.enum(SEARCH_TYPES).meta({ description: 'Search that was executed.' }),
    collection_id: Id.nullable().meta({
      description: 'Collection that was searched; null when the request names `collection_ids`.',
    }),
    failed_collections: z.array(FailedCollection).optional().meta({
      description:
        'Collections that could not be searched; the results are from the others. Present only when the request names `collection_ids`.',
    }),
    ...RERANKING,
    next_offset: z.int().nullable().optional().meta({
      description: '`offset` of the next page, null on the last one. Present only when the request sets `offset`.',
    }),
    facets: z.record(z.string(), FacetCounts).optional().meta({
      description: 'Counts by the names of the request. Present only when the request sets `facets`.',
    }),
    execution_time_ms: z.number().meta({ description: 'Duration of the search in milliseconds, with two decimals.' }),
  })
  .meta({ id: 'SearchResponse' });
export type SearchResponse = z.infer<typeof SearchResponse>;
