import { z } from 'zod';
import { AppError } from '#domain/app-error.ts';
import { parseFilter } from '#domain/filters/parse-filter.ts';
import { AnyObject, Id } from './fields.ts';

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
    query: z.string().min(1).max(8192),
    collection_id: Id,
    search_type: z.enum(SEARCH_TYPES).default('hybrid'),
    filters: z.record(z.string(), z.unknown()).superRefine(checkFilter).default({}),
    max_results: z.int().min(1).max(100).default(10),
    explain: z.boolean().default(false).meta({
      description: 'Whether to add to each result its rank and raw score in the keyword and the vector search.',
    }),
  })
  .meta({ id: 'SearchRequest' });
export type SearchRequest = z.infer<typeof SearchRequest>;

export const SearchResult = z
  .object({
    content: z.string(),
    score: z.number(),
    metadata: AnyObject.meta({
      description:
        'Metadata of the content. The key `chunk` holds id, index, page, heading path and offsets of the chunk.',
    }),
    content_id: Id,
    source: z.string().meta({ description: 'File name or URL of the content.' }),
    explain: AnyObject.optional(),
  })
  .meta({ id: 'SearchResult' });
export type SearchResult = z.infer<typeof SearchResult>;

export const SearchResponse = z
  .object({
    results: z.array(SearchResult),
    total_results: z.int().meta({ description: 'Number of results in this response.' }),
    query: z.string(),
    search_type: z.enum(SEARCH_TYPES),
    collection_id: Id,
    execution_time_ms: z.number(),
  })
  .meta({ id: 'SearchResponse' });
export type SearchResponse = z.infer<typeof SearchResponse>;
