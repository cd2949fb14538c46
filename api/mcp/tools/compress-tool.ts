import { z } from 'zod';
import { COMPRESSION_STRATEGIES } from '#domain/compression/compressor.ts';
import { textField } from '#domain/records/fields.ts';
import { DEFAULT_TARGET_RATIO } from '#domain/records/compression.ts';
import { compressNow } from '#operations/compression/compress-now.ts';
import { Note } from '#api/mcp/result-fields.ts';
import { cutText, entryTokens, MaxTokens } from '#api/mcp/max-tokens.ts';
import { tool } from '#api/mcp/tool.ts';

/** Clients give up after 60 s, unless they are set otherwise. */
const MAX_MS = 55_000;
const REMEDIES = {
  size: 'Send it in smaller parts.',
  time: 'Send it in smaller parts, or use the strategy extractive, which waits for no chat model.',
};

export const compressTool = tool(
  {
    name: 'compress',
    title: 'Compress a text',
    description:
      'Shortens a text and keeps what helps to answer a question, or what it is mainly about. Nothing is stored.',
    permission: 'compress:write',
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    input: z.strictObject({
      text: z.string().min(1).meta({ description: 'A request has at most 1 MiB.' }),
      query: textField(8192, 1).optional().meta({ description: 'Question that the result must answer.' }),
      strategy: z.enum(COMPRESSION_STRATEGIES).default('extractive').meta({
        description:
          'extractive: whole sentences, unchanged; dedupe: folds repetitions; ai_compress: a chat model rewrites it.',
      }),
      target_ratio: z
        .number()
        .min(0.01)
        .max(1)
        .default(DEFAULT_TARGET_RATIO)
        .meta({ description: 'Share of the tokens to keep.' }),
      max_tokens: MaxTokens,
    }),
    output: z.object({
      text: z.string(),
      strategy_used: z.string().nullable(),
      original_tokens: z.int().nullable(),
      compressed_tokens: z.int().nullable(),
      note: Note,
    }),
  },
  async ({ services, caller, signal }, { text, query, strategy, target_ratio, max_tokens: maxTokens }) => {
    const room = entryTokens(maxTokens);
    const body = {
      content: text.toWellFormed(),
      strategy,
      query: query ?? null,
      target_ratio,
      target_tokens: room,
      include_metadata: false,
      webhook_url: null,
    };
    const compressed = await compressNow(services, caller, { body, signal, limitMs: MAX_MS, remedies: REMEDIES });
    const whole = compressed.content ?? '';
    const shown = cutText(whole, room);
    const note =
      shown.length === whole.length
        ? null
        : `The end was left out: ${whole.length - shown.length} characters did not fit.`;
    const { strategy_used, original_tokens, compressed_tokens } = compressed;
    return { text: shown, strategy_used, original_tokens, compressed_tokens, note };
  },
);
