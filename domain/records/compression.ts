import { z } from 'zod';
import { COMPRESSION_STRATEGIES } from '#domain/compression/compressor.ts';
import { Id, IsoTime, textField } from './fields.ts';
import { WebhookUrl } from './webhook.ts';

const COMPRESSION_STATUSES = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const;
export type CompressionStatus = (typeof COMPRESSION_STATUSES)[number];

/** The strategy that ran: one of the strategies, or two of them when the chat model failed for parts of the text. */
const USED_STRATEGIES = [...COMPRESSION_STRATEGIES, 'ai_compress+extractive'] as const;
export type UsedStrategy = (typeof USED_STRATEGIES)[number];

const QUERY_SOURCES = ['request', 'label', 'conversation', 'last_sentence', 'first_sentence'] as const;
export type QuerySource = (typeof QUERY_SOURCES)[number];

/** Share of the tokens that is kept when the request sets no target. */
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
        '`ai_compress`: the chat model rewrites the text; without a chat model, `extractive` is used. ' +
        '`extractive`: keeps whole sentences unchanged. `dedupe`: folds repeated text without losing anything.',
    }),
    include_metadata: z.boolean().default(false),
    webhook_url: WebhookUrl.nullable()
      .default(null)
      .meta({ description: 'URL that is notified when the compression ends. When set, the request creates a job.' }),
    target_ratio: z
      .number()
      .min(0.01)
      .max(1)
      .nullable()
      .default(null)
      .meta({
        description: `Share of the tokens to keep; ${DEFAULT_TARGET_RATIO} by default.`,
        'x-loci-extension': true,
      }),
    target_tokens: z.int().min(1).max(100_000_000).nullable().default(null).meta({
      description: 'Maximum number of tokens to keep. When `target_ratio` is set too, the smaller of the two applies.',
      'x-loci-extension': true,
    }),
    query: textField(MAX_QUERY_CHARACTERS, 1).nullable().default(null).meta({
      description:
        'Question that the result must be able to answer. By default, the question that the text ends or begins with.',
      'x-loci-extension': true,
    }),
  })
  .meta({ id: 'CompressRequest' });
export type CompressRequest = z.infer<typeof CompressRequest>;

export const CompressionMetadata = z
  .object({
    tokenizer: z.string().meta({ description: 'Tokenizer that counted the tokens.' }),
    target_tokens: z.int().nullable().meta({ description: 'Target number of tokens; null when nothing was left out.' }),
    query: z.string().nullable().meta({ description: 'Query that guided the selection.' }),
    query_source: z.enum(QUERY_SOURCES).nullable(),
    original_characters: z
      .int()
      .meta({ description: 'Length of the original text in UTF-16 code units, as every character count here.' }),
    compressed_characters: z.int(),
    windows: z.object({ ai_compress: z.int(), extractive: z.int(), dedupe: z.int() }).meta({
      description: 'Number of windows that the text was split into, by the strategy applied to each.',
    }),
    dropped: z.object({
      tokens: z.int(),
      sentences: z
        .int()
        .nullable()
        .meta({ description: 'Number of sentences left out; null when a model wrote part of the result.' }),
      spans: z
        .array(z.tuple([z.int(), z.int()]))
        .nullable()
        .meta({
          description:
            'Ranges of `content` that were left out, as `[from, to)` in characters; at most the first 1,000.',
        }),
    }),
    folds: z.int().meta({ description: 'Number of repetitions that `dedupe` folded.' }),
    is_lossless: z.boolean(),
    note: z.string().nullable().meta({ description: 'Reason why the result differs from what was requested.' }),
  })
  .meta({ id: 'CompressionMetadata' });
export type CompressionMetadata = z.infer<typeof CompressionMetadata>;

/** The result of a compression, returned directly or by its job. */
export const Compression = z
  .object({
    job_id: Id.nullable().meta({ description: 'Compression job; null when the result is in this response.' }),
    status: z.enum(COMPRESSION_STATUSES),
    strategy: Strategy,
    strategy_used: z
      .enum(USED_STRATEGIES)
      .nullable()
      .meta({ description: 'Strategy that was used; null until the compression has ended.' }),
    content: z.string().nullable().meta({ description: 'The compressed text.' }),
    original_tokens: z.int().nullable(),
    compressed_tokens: z.int().nullable(),
    ratio: z.number().nullable().meta({ description: 'Tokens of the result divided by tokens of `content`.' }),
    metadata: CompressionMetadata.nullable().meta({
      description: 'Details of the compression, when the request sets `include_metadata`.',
    }),
  })
  .meta({ id: 'Compression' });
export type Compression = z.infer<typeof Compression>;

/** A compression job and its progress. */
export const CompressionJob = Compression.extend({
  job_id: Id,
  progress: z.object({ windows_done: z.int(), windows_total: z.int().nullable() }),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  created_at: IsoTime,
  completed_at: IsoTime.nullable(),
  expires_at: IsoTime.nullable().meta({ description: 'Time at which the text and the result are deleted.' }),
}).meta({ id: 'CompressionJob' });
export type CompressionJob = z.infer<typeof CompressionJob>;
