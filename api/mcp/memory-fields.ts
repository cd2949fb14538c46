import { z } from 'zod';
import { JsonObject, textField } from '#domain/records/fields.ts';
import { MAX_MEMORY_CHARACTERS, type MemoryRecord } from '#domain/records/memory.ts';
import { countFitting, cutText, entryTokens, STANDARD_TOKENS, tokensOf } from './max-tokens.ts';

/** Larger metadata is left out of results. */
const MAX_METADATA_TOKENS = 300;

/** More topics are left out of the result of writing. */
const MAX_TOPIC_TOKENS = 1_000;

/** Arguments and results of the tools for memories. */
export const UserIdArgument = textField(255, 1).optional().meta({
  description: 'Whose memory it is: required with an API key, and with a user token that user.',
});
export const MemoryText = textField(MAX_MEMORY_CHARACTERS, 1).refine((text) => text.trim() !== '', {
  message: 'Must not be blank',
});
export const Topics = z.array(textField(100, 1)).max(100);
export const MemoryMetadata = JsonObject;

export const ShownMemory = z.object({
  memory_id: z.string(),
  user_id: z.string(),
  memory: z.string(),
  topics: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()).nullable().meta({ description: 'Null if it is large.' }),
  created_at: z.string(),
  updated_at: z.string(),
});
export type ShownMemory = z.input<typeof ShownMemory>;

/** The result of writing a memory. */
export const WrittenMemory = z.object({
  memory: ShownMemory,
  is_shortened: z.boolean().meta({ description: 'Only this result leaves some of it out.' }),
  is_searchable: z.boolean().meta({ description: 'False: searches find it a little later.' }),
});

/** A memory as tools show it. */
export function showMemory(record: MemoryRecord): ShownMemory {
  const { metadata } = record;
  return { ...record, metadata: tokensOf(metadata) > MAX_METADATA_TOKENS ? null : metadata };
}

/** A memory that was written, cut to what a result may have: it is stored, so that its size is no reason to fail. */
export function showWritten(record: MemoryRecord, isIndexed: boolean): z.input<typeof WrittenMemory> {
  const whole = showMemory(record);
  const room = entryTokens(STANDARD_TOKENS);
  const topics = whole.topics.slice(0, countFitting(whole.topics, MAX_TOPIC_TOKENS));
  const memory = cutText(whole.memory, room - tokensOf({ ...whole, topics, memory: '' }));
  const isShortened = memory.length < whole.memory.length || topics.length < whole.topics.length;
  return { memory: { ...whole, topics, memory }, is_shortened: isShortened, is_searchable: isIndexed };
}
