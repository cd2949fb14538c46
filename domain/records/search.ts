import { z } from 'zod';
import { AppError } from '#domain/app-error.ts';
import { parseFilter } from '#domain/filters/parse-filter.ts';
import { ChunkMetadata } from './chunk.ts';
import { Id } from './fields.ts';

export const SEARCH_TYPES = ['vector', 'keyword', 'hybrid'] as const;
export type SearchType = (typeof SEARCH_TYPES)[number];

/** Runs with the schema, so that problems of the filter are reported together with those of the other fields. */
function checkFilter(filters: Record<string, unknown>, context: z.core.$RefinementCtx): void {
  try {
    parseFilter(filters, []);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    for (const { loc, msg, type } of error.issues) {
      context.addIssue({ code: 'custom', path: loc, message: msg, params: { type } });
    }
  }
}

export const SearchRequest = z
  .strictObject({
    query: z
      .string()
      .min(1)
      .max(8192)
      .meta({ description: 'What to search for, 1 to 8,192 characters: a question, or words.' }),
    collection_id: Id.meta({ description: 'Collection to search.' }),
    search_type: z
      .enum(SEARCH_TYPES)
      .default('hybrid')
      .meta({ description: '`vector` searches by meaning, `keyword` by words (BM25), `hybrid` combines both.' }),
    filters: z.record(z.string(), z.unknown()).superRefine(checkFilter).default({}).meta({
      description:
        'Conditions on contents and chunks, such as `{"lang": "en", "year": {"$gte": 2020}}`: at most 16 levels, 128 conditions and 1,024 values.',
    }),
    max_results: z.int().min(1).max(100).default(10).meta({ description: 'Largest number of results.' }),
    explain: z.boolean().default(false).meta({
      description: 'Whether to add to each result its rank and raw score in the keyword and the vector search.',
    }),
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

const SearchExplanation = z
  .object({
    keyword: SearchLeg.nullable().meta({
      description: 'Keyword search; null when it did not run, or the chunk is not among its first 100 hits.',
    }),
    vector: SearchLeg.nullable().meta({
      description: 'Vector search; null when it did not run, or the chunk is not among its first 100 hits.',
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
    score: z.number().meta({ description: 'Relevance; higher is better. Comparable within one response only.' }),
    metadata: z
      .looseObject({
        chunk: SearchedChunk.meta({ description: 'The chunk that was found, and where it is in its document.' }),
      })
      .meta({ description: 'Metadata of the content. Its key `chunk`, which the service sets, describes the chunk.' }),
    content_id: Id.meta({ description: 'Content that the chunk is part of.' }),
    source: z.string().meta({ description: 'File name or URL of the content.' }),
    explain: SearchExplanation.optional().meta({
      description: 'Rank and score in each search. Present only when the request sets `explain`.',
    }),
  })
  .meta({ id: 'SearchResult' });
export type SearchResult = z.infer<typeof SearchResult>;

export const SearchResponse = z
  .object({
    results: z.array(SearchResult).meta({ description: 'Chunks that were found, best first.' }),
    total_results: z.int().meta({ description: 'Number of results in this response.' }),
    query: z.string().meta({ description: 'Query of the request.' }),
    search_type: z.enum(SEARCH_TYPES).meta({ description: 'Search that was executed.' }),
    collection_id: Id.meta({ description: 'Collection that was searched.' }),
    execution_time_ms: z.number().meta({ description: 'Duration of the search in milliseconds, with two decimals.' }),
  })
  .meta({ id: 'SearchResponse' });
export type SearchResponse = z.infer<typeof SearchResponse>;
