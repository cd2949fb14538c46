import { z } from 'zod';
import { COMPRESSION_STRATEGIES } from '#domain/compression/compressor.ts';
import { Id, IsoTime, textField } from './fields.ts';
import { WebhookUrl } from './webhook.ts';

const COMPRESSION_STATUSES = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const;
export type CompressionStatus = (typeof COMPRESSION_STATUSES)[number];

/** What was done: one of the strategies, or both where the chat model failed in parts of the text. */
const USED_STRATEGIES = [...COMPRESSION_STRATEGIES, 'ai_compress+extractive'] as const;
export type UsedStrategy = (typeof USED_STRATEGIES)[number];

const QUERY_SOURCES = ['request', 'label', 'conversation', 'last_sentence', 'first_sentence'] as const;
export type QuerySource = (typeof QUERY_SOURCES)[number];

/** What is kept where the request does not say. */
export const DEFAULT_TARGET_RATIO = 0.5;
const MAX_QUERY_CHARACTERS = 8_192;

const Strategy = z.enum(COMPRESSION_STRATEGIES);
const wellFormed = { message: 'contains an unpaired surrogate, which is not valid Unicode' };

export const CompressRequest = z
  .strictObject({
    content: z
      .string()
      .min(1)
      .refine((text) => text.isWellFormed(), wellFormed),
    strategy: Strategy.default('ai_compress').meta({
      description:
        '`ai_compress`: rewritten by the chat model, `extractive` where there is none; `extractive`: sentences as they are; `dedupe`: repeats folded, nothing lost',
    }),
    include_metadata: z.boolean().default(false),
    webhook_url: WebhookUrl.nullable()
      .default(null)
      .meta({ description: 'With it the work is a job, and its end is announced there' }),
    target_ratio: z
      .number()
      .min(0.01)
      .max(1)
      .nullable()
      .default(null)
      .meta({
        description: `Part of the tokens to keep, ${DEFAULT_TARGET_RATIO} by default`,
        'x-loci-extension': true,
      }),
    target_tokens: z
      .int()
      .min(1)
      .max(100_000_000)
      .nullable()
      .default(null)
      .meta({ description: 'Most tokens to keep; with `target_ratio` the smaller counts', 'x-loci-extension': true }),
    query: textField(MAX_QUERY_CHARACTERS, 1).nullable().default(null).meta({
      description: 'What the result has to answer; without it the question that the text itself ends or begins with',
      'x-loci-extension': true,
    }),
  })
  .meta({ id: 'CompressRequest' });
export type CompressRequest = z.infer<typeof CompressRequest>;

export const CompressionMetadata = z
  .object({
    tokenizer: z.string().meta({ description: 'What tokens are counted with' }),
    target_tokens: z.int().nullable().meta({ description: 'Null where nothing is left out' }),
    query: z.string().nullable().meta({ description: 'What steered the selection' }),
    query_source: z.enum(QUERY_SOURCES).nullable(),
    original_characters: z.int().meta({ description: 'UTF-16 code units, as all characters here' }),
    compressed_characters: z.int(),
    windows: z.object({ ai_compress: z.int(), extractive: z.int(), dedupe: z.int() }).meta({
      description: 'Parts that the text was taken in, by what was done with each',
    }),
    dropped: z.object({
      tokens: z.int(),
      sentences: z.int().nullable().meta({ description: 'Null where a model wrote some of the result' }),
      spans: z
        .array(z.tuple([z.int(), z.int()]))
        .nullable()
        .meta({ description: 'Parts of `content` left out, `[from, to)` in characters, at most the first 1,000' }),
    }),
    folds: z.int().meta({ description: 'Repeats that `dedupe` folded' }),
    is_lossless: z.boolean(),
    note: z.string().nullable().meta({ description: 'Why something else was done than asked' }),
  })
  .meta({ id: 'CompressionMetadata' });
export type CompressionMetadata = z.infer<typeof CompressionMetadata>;

/** A result, at once or of a job. */
export const Compression = z
  .object({
    job_id: Id.nullable().meta({ description: 'Null where the result is in the answer' }),
    status: z.enum(COMPRESSION_STATUSES),
    strategy: Strategy,
    strategy_used: z.enum(USED_STRATEGIES).nullable().meta({ description: 'Null while it is under way' }),
    content: z.string().nullable().meta({ description: 'The compressed text' }),
    original_tokens: z.int().nullable(),
    compressed_tokens: z.int().nullable(),
    ratio: z.number().nullable().meta({ description: 'Tokens of the result per token of `content`' }),
    metadata: CompressionMetadata.nullable().meta({ description: 'With `include_metadata`' }),
  })
  .meta({ id: 'Compression' });
export type Compression = z.infer<typeof Compression>;

/** A job with where it is. */
export const CompressionJob = Compression.extend({
  job_id: Id,
  progress: z.object({ windows_done: z.int(), windows_total: z.int().nullable() }),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  created_at: IsoTime,
  completed_at: IsoTime.nullable(),
  expires_at: IsoTime.nullable().meta({ description: 'When text and result are removed' }),
}).meta({ id: 'CompressionJob' });
export type CompressionJob = z.infer<typeof CompressionJob>;
