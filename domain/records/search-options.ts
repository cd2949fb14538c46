import { z } from 'zod';
import { resolveField } from '#domain/filters/fields.ts';
import { Id } from './fields.ts';
import { RerankOption } from './rerank-option.ts';

/** Options of a search, all optional, and what they add to the answer. */

/** Hits that are ranked for pages, groups and recency. One ranking, so that pages neither overlap nor skip. */
export const SEARCH_WINDOW = 200;
/** Values of a facet in the answer, most frequent first. */
export const MAX_FACET_VALUES = 100;
const MAX_NEIGHBOURS = 5;

function isFacet(name: string): boolean {
  const field = resolveField(name);
  return field !== null && field.area !== 'chunk';
}

export const SEARCH_OPTIONS = {
  rerank: RerankOption.optional(),
  offset: z
    .int()
    .min(0)
    .max(SEARCH_WINDOW - 1)
    .optional()
    .meta({
      description:
        'Results to skip. For pages, send `0` for the first one, then `next_offset` of each response: pages are cut from one ranking of ' +
        '200 hits, so that the last one may have fewer than `max_results`.',
    }),
  group_by: z.enum(['content']).optional().meta({
    description: '`content`: at most `max_per_content` results of each content, from a ranking of 200 hits.',
  }),
  max_per_content: z.int().min(1).max(20).optional().meta({
    description: 'Results of each content with `group_by`; 1 by default.',
  }),
  min_score: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .meta({
      description:
        'Smallest `relevance` of results, 0 to 1; 0.5 is a good start. A query about nothing in the collection then has no results. ' +
        'Results are looked for among the first 200 hits.',
    }),
  recency: z
    .strictObject({
      half_life_days: z.number().min(0.01).max(36_500).meta({
        description: 'Age in days at which half of `weight` is lost.',
      }),
      weight: z.number().min(0).max(1).default(0.3).meta({
        description: 'Part of the score that depends on age, 0 to 1. Old contents keep the rest.',
      }),
      field: z
        .string()
        .min(1)
        .max(256)
        .refine(isFacet, { message: 'must name a field of the content or of its metadata' })
        .default('created_at')
        .meta({
          description: 'Field with the date, as in filters: ISO 8601. Contents without it count as the oldest.',
        }),
    })
    .optional()
    .meta({ description: 'Ranks newer contents higher, within a ranking of 200 hits.' }),
  facets: z
    .array(
      z.string().min(1).max(256).refine(isFacet, { message: 'must name a field of the content or of its metadata' }),
    )
    .min(1)
    .max(5)
    .optional()
    .meta({
      description:
        'Fields of contents, named as in filters, such as `lang`. Counts how many contents that match `filters` have each ' +
        'value; the query has no influence. Cannot be combined with conditions on `chunk.*`.',
    }),
  highlight: z
    .strictObject({
      max_characters: z.int().min(50).max(2_000).default(300).meta({ description: 'Largest length of the passage.' }),
    })
    .optional()
    .meta({
      description:
        'Adds the best passage of each result and the positions of the words that match. `{}` uses the defaults.',
    }),
  expand: z
    .strictObject({
      before: z.int().min(0).max(MAX_NEIGHBOURS).default(0).meta({ description: 'Chunks before the result.' }),
      after: z.int().min(0).max(MAX_NEIGHBOURS).default(0).meta({ description: 'Chunks after the result.' }),
    })
    .optional()
    .meta({
      description:
        'Adds neighbouring chunks of the same content to each result, best results first, up to 1 MiB of text.',
    }),
  include_embedding: z.boolean().optional().meta({ description: 'Whether to add the vector of each result.' }),
};

const TextPlace = z
  .object({
    start: z.int().meta({ description: 'First character, in UTF-16 code units of `content` of the result, from 0.' }),
    end: z.int().meta({ description: 'Position after the last character.' }),
    query_word: z.string().meta({ description: 'Word of the query that matches, as spelled there.' }),
  })
  .meta({ id: 'MatchedTerm' });

export const Highlight = z
  .object({
    text: z.string().meta({ description: 'The passage: whole sentences where they fit. Plain text.' }),
    start: z.int().meta({ description: 'Where it starts in `content` of the result, in UTF-16 code units.' }),
    end: z.int().meta({ description: 'Where it ends there.' }),
    matches: z.array(TextPlace).meta({
      description:
        'Words of the passage that match words of the query, other inflections included. Empty when only the meaning matches.',
    }),
  })
  .meta({ id: 'Highlight' });
export type Highlight = z.infer<typeof Highlight>;

export const NeighbourChunk = z
  .object({
    id: Id.meta({ description: 'Id of the chunk.' }),
    index: z.int().meta({ description: 'Position of the chunk in its content, from 0.' }),
    content: z.string().meta({ description: 'Text of the chunk.' }),
  })
  .meta({ id: 'NeighbourChunk' });
export type NeighbourChunk = z.infer<typeof NeighbourChunk>;

export const RESULT_EXTRAS = {
  relevance: z
    .number()
    .optional()
    .meta({
      description:
        'Estimated probability that the result is about what the query asks, 0 to 1, from the similarity of the vectors, calibrated for ' +
        'the embedding model, and from the share of the words of the query that it has. Comparable between queries and collections. ' +
        'Present only when the request sets `min_score`.',
    }),
  highlight: Highlight.optional().meta({ description: 'Present only when the request sets `highlight`.' }),
  before: z.array(NeighbourChunk).optional().meta({
    description: 'Chunks before this one, in order. Present only when the request sets `expand`.',
  }),
  after: z.array(NeighbourChunk).optional().meta({
    description: 'Chunks after this one, in order. Present only when the request sets `expand`.',
  }),
  embedding: z.array(z.number()).nullable().optional().meta({
    description:
      'Vector of the chunk; null if the index has none. Present only when the request sets `include_embedding`.',
  }),
};

export const FacetCounts = z
  .object({
    values: z
      .array(
        z.object({
          value: z.union([z.string(), z.number(), z.boolean()]).meta({ description: 'Value of the field.' }),
          count: z.int().meta({ description: 'Contents that have it.' }),
        }),
      )
      .meta({ description: 'Most frequent values of up to 500 characters, at most 100.' }),
    distinct_count: z.int().meta({ description: 'Number of different values.' }),
    missing_count: z.int().meta({ description: 'Contents without a value.' }),
    is_exact: z.boolean().meta({
      description:
        'False when a limit of counting was reached (20,000 contents, 64 MiB of their metadata, 20,000 values of a field): all ' +
        'counts are then lower bounds.',
    }),
  })
  .meta({ id: 'FacetCounts' });
export type FacetCounts = z.infer<typeof FacetCounts>;
