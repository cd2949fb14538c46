import { z } from 'zod';
import { cursorListOf, NEXT_PAGE } from './cursor-list.ts';
import { AnyObject, Id, IsoTime, JsonObject, IsoTimeInput, textField } from './fields.ts';

export const MEMORY_TYPES = ['user', 'agent', 'team', 'workflow'] as const;
export type MemoryType = (typeof MEMORY_TYPES)[number];

export const RETRIEVAL_METHODS = [
  'agentic',
  'agentic_vector',
  'agentic_hybrid',
  'agentic_keyword',
  'vector',
  'hybrid',
  'keyword',
  'last_n',
  'first_n',
] as const;
export type RetrievalMethod = (typeof RETRIEVAL_METHODS)[number];

/** Longest text of a memory. */
export const MAX_MEMORY_CHARACTERS = 16_384;

const UserId = textField(255, 1).meta({ description: 'The owner; it never changes' });
const MemoryText = textField(MAX_MEMORY_CHARACTERS, 1).refine((text) => text.trim() !== '', {
  message: 'Must not be blank',
});
const Topics = z.array(textField(100, 1)).max(100);

/** A memory as the interface shows it. */
export const MemoryRecord = z
  .object({
    memory_id: Id,
    user_id: z.string(),
    memory: z.string().meta({ description: 'The memory text' }),
    topics: z.array(z.string()),
    created_at: IsoTime,
    updated_at: IsoTime,
    metadata: AnyObject,
  })
  .meta({ id: 'MemoryRecord' });
export type MemoryRecord = z.infer<typeof MemoryRecord>;

/** The same with what our own endpoints add. */
export const MemoryDetail = MemoryRecord.extend({ memory_type: z.enum(MEMORY_TYPES), version: z.int() }).meta({
  id: 'MemoryDetail',
});
export type MemoryDetail = z.infer<typeof MemoryDetail>;

export const MemoryVersion = MemoryDetail.extend({
  valid_from: IsoTime,
  valid_to: IsoTime.nullable().meta({ description: 'Null: this is the current version' }),
}).meta({ id: 'MemoryVersion' });
export type MemoryVersion = z.infer<typeof MemoryVersion>;

export const CreateMemoryRequest = z
  .strictObject({
    user_id: UserId.optional().meta({ description: 'Needed with an API key; with a token, its own user' }),
    memory: MemoryText,
    memory_type: z.enum(MEMORY_TYPES).default('user'),
    topics: Topics.default([]),
    metadata: JsonObject.default({}),
  })
  .meta({ id: 'CreateMemoryRequest' });
export type CreateMemoryRequest = z.infer<typeof CreateMemoryRequest>;

export const UpdateMemoryRequest = z
  .strictObject({
    user_id: UserId.optional().meta({ description: 'Needed with an API key: whose memory this is' }),
    memory: MemoryText.optional(),
    topics: Topics.optional(),
    metadata: JsonObject.optional(),
  })
  .meta({ id: 'UpdateMemoryRequest' });
export type UpdateMemoryRequest = z.infer<typeof UpdateMemoryRequest>;

export const ReplaceMemoryRequest = z
  .strictObject({ user_id: UserId, memory: MemoryText, topics: Topics, metadata: JsonObject })
  .meta({ id: 'ReplaceMemoryRequest' });
export type ReplaceMemoryRequest = z.infer<typeof ReplaceMemoryRequest>;

export const MemoryAnswer = z
  .object({ memory_id: Id, message: z.string(), memory: MemoryRecord })
  .meta({ id: 'MemoryAnswer' });
export type MemoryAnswer = z.infer<typeof MemoryAnswer>;

export const ReplaceMemoryAnswer = z
  .object({ memory_id: Id, message: z.string(), old_memory: MemoryRecord, new_memory: MemoryRecord })
  .meta({ id: 'ReplaceMemoryAnswer' });
export type ReplaceMemoryAnswer = z.infer<typeof ReplaceMemoryAnswer>;

/** A moment of the past: what was valid then. Times of records are exact to the millisecond, and so is this. */
export const AsOf = IsoTimeInput.meta({
  description: 'ISO 8601 date-time, UTC unless it says otherwise: as it was then',
  'x-loci-extension': true,
});

export const MemoryList = cursorListOf(MemoryDetail).meta({ id: 'MemoryList' });
export type MemoryList = z.infer<typeof MemoryList>;

export const MemoryHistory = z
  .object({
    memory_id: Id,
    data: z.array(MemoryVersion).meta({ description: 'Newest first' }),
    total_count: z.int(),
    ...NEXT_PAGE,
  })
  .meta({ id: 'MemoryHistory' });
export type MemoryHistory = z.infer<typeof MemoryHistory>;

export const SearchMemoriesRequest = z
  .strictObject({
    query: z.string().max(8192).default('').meta({ description: '`last_n` and `first_n` need none' }),
    user_id: UserId.optional().meta({ description: 'With an API key all users by default, with a token its own' }),
    limit: z.int().min(1).max(100).default(10),
    retrieval_method: z.enum(RETRIEVAL_METHODS).default('agentic'),
    as_of: AsOf.optional(),
  })
  .superRefine(({ query, retrieval_method }, context) => {
    if (query.trim() !== '' || retrieval_method === 'last_n' || retrieval_method === 'first_n') return;
    const message = `Must not be blank with ${retrieval_method}`;
    context.addIssue({ code: 'custom', path: ['query'], message, params: { type: 'missing' } });
  })
  .meta({ id: 'SearchMemoriesRequest' });
export type SearchMemoriesRequest = z.infer<typeof SearchMemoriesRequest>;

export const RetrievalDetails = z
  .object({
    steps: z.array(z.string()).meta({ description: 'What ran, in order' }),
    model: z.string().nullable().meta({ description: 'The chat model that took part' }),
    queries: z.array(z.string()).meta({ description: 'What was searched for' }),
    note: z.string().nullable(),
  })
  .meta({ id: 'RetrievalDetails' });
export type RetrievalDetails = z.infer<typeof RetrievalDetails>;

export const SearchMemoriesResponse = z
  .object({
    memories: z.array(MemoryRecord),
    total_results: z.int().meta({ description: 'Number of memories in this answer' }),
    query: z.string(),
    retrieval_method: z.enum(RETRIEVAL_METHODS),
    retrieval_details: RetrievalDetails.meta({ 'x-loci-extension': true }),
  })
  .meta({ id: 'SearchMemoriesResponse' });
export type SearchMemoriesResponse = z.infer<typeof SearchMemoriesResponse>;
