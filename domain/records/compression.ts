import { z } from 'zod';
import { COMPRESSION_STRATEGIES } from '#domain/compression/compressor.ts';
import { newestListOf } from './cursor-list.ts';
import { CreatedAt, Id, IsoTime, textField, WorkflowId } from './fields.ts';
import { WebhookUrl } from './webhook.ts';

export const COMPRESSION_STATUSES = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const;
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
      .refine((text) => text.isWellFormed(), wellFormed)
      .meta({
        description:
          'Text to compress: at most 1 MiB in UTF-8, 8 MiB with `webhook_url`, unless the server is configured otherwise.',
      }),
    strategy: Strategy.default('ai_compress').meta({
      description:
        '`ai_compress`: the chat model rewrites the text; without a chat model, `extractive` is used. ' +
        '`extractive`: keeps whole sentences unchanged. `dedupe`: folds repeated text without losing anything.',
    }),
    include_metadata: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether the response has `metadata`: what was left out, and how.' }),
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
    query_source: z.enum(QUERY_SOURCES).nullable().meta({
      description:
        'Where `query` comes from: the request, a label in the text (`Question:`), the last turn of a conversation, or a sentence of the text; null without a query.',
    }),
    original_characters: z
      .int()
      .meta({ description: 'Length of the original text in UTF-16 code units, as every character count here.' }),
    compressed_characters: z.int().meta({ description: 'Length of the result in UTF-16 code units.' }),
    windows: z
      .object({
        ai_compress: z.int().meta({ description: 'Windows that the chat model rewrote.' }),
        extractive: z.int().meta({ description: 'Windows of which whole sentences were kept.' }),
        dedupe: z.int().meta({ description: 'Windows in which repetitions were folded.' }),
      })
      .meta({
        description: 'Number of windows that the text was split into, by the strategy applied to each.',
      }),
    dropped: z
      .object({
        tokens: z.int().meta({ description: 'Number of tokens left out.' }),
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
      })
      .meta({ description: 'What the result leaves out.' }),
    folds: z.int().meta({ description: 'Number of repetitions that `dedupe` folded.' }),
    is_lossless: z.boolean().meta({ description: 'True when the original text can be restored from the result.' }),
    note: z.string().nullable().meta({ description: 'Reason why the result differs from what was requested.' }),
  })
  .meta({ id: 'CompressionMetadata' });
export type CompressionMetadata = z.infer<typeof CompressionMetadata>;

/** The result of a compression, returned directly or by its job. */
export const Compression = z
  .object({
    job_id: Id.nullable().meta({ description: 'Compression job; null when the result is in this response.' }),
    status: z
      .enum(COMPRESSION_STATUSES)
      .meta({ description: '`completed` when the result is in this response; a job starts as `pending`.' }),
    strategy: Strategy.meta({ description: 'Strategy that was asked for.' }),
    strategy_used: z
      .enum(USED_STRATEGIES)
      .nullable()
      .meta({ description: 'Strategy that was used; null until the compression has ended.' }),
    content: z.string().nullable().meta({ description: 'The compressed text.' }),
    original_tokens: z
      .int()
      .nullable()
      .meta({ description: 'Tokens of the text that was sent; null until they are counted.' }),
    compressed_tokens: z
      .int()
      .nullable()
      .meta({ description: 'Tokens of the result; null until the compression has ended.' }),
    ratio: z.number().nullable().meta({ description: 'Tokens of the result divided by tokens of `content`.' }),
    metadata: CompressionMetadata.nullable().meta({
      description: 'Details of the compression, when the request sets `include_metadata`.',
    }),
  })
  .meta({ id: 'Compression' });
export type Compression = z.infer<typeof Compression>;

/** A compression job and its progress. */
export const CompressionJob = Compression.extend({
  job_id: Id.meta({ description: 'Id of the job.' }),
  progress: z
    .object({
      windows_done: z.int().meta({ description: 'Windows that are compressed.' }),
      windows_total: z.int().nullable().meta({ description: 'Windows in all; null until the text is divided.' }),
    })
    .meta({ description: 'How far the job is. A window is a part of the text that is compressed by itself.' }),
  error: z
    .object({
      code: z.string().meta({ description: '`cancelled`, or an error code: what went wrong, for programs.' }),
      message: z.string().meta({ description: 'What went wrong and what to do, for people.' }),
    })
    .nullable()
    .meta({ description: 'Why the job failed; null unless `status` is `failed`.' }),
  workflow_id: WorkflowId,
  created_at: CreatedAt,
  completed_at: IsoTime.nullable().meta({ description: 'Time at which the job ended; null until then.' }),
  expires_at: IsoTime.nullable().meta({ description: 'Time at which the text and the result are deleted.' }),
}).meta({ id: 'CompressionJob' });
export type CompressionJob = z.infer<typeof CompressionJob>;

/** A compression job in a list. */
export const CompressionSummary = CompressionJob.omit({ content: true, metadata: true }).meta({
  id: 'CompressionSummary',
});
export type CompressionSummary = z.infer<typeof CompressionSummary>;

export const CompressionList = newestListOf(CompressionSummary).meta({ id: 'CompressionList' });
export type CompressionList = z.infer<typeof CompressionList>;
