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

/** Maximum length of the text of a memory. */
export const MAX_MEMORY_CHARACTERS = 16_384;

const UserId = textField(255, 1).meta({ description: 'User who owns the memory. It never changes.' });
const MemoryText = textField(MAX_MEMORY_CHARACTERS, 1).refine((text) => text.trim() !== '', {
  message: 'Must not be blank',
});
const Topics = z.array(textField(100, 1)).max(100);

/** A memory in API responses. */
export const MemoryRecord = z
  .object({
    memory_id: Id,
    user_id: z.string(),
    memory: z.string().meta({ description: 'Text of the memory.' }),
    topics: z.array(z.string()),
    created_at: IsoTime,
    updated_at: IsoTime,
    metadata: AnyObject,
  })
  .meta({ id: 'MemoryRecord' });
export type MemoryRecord = z.infer<typeof MemoryRecord>;

/** A memory with the fields that Loci adds to the interface. */
export const MemoryDetail = MemoryRecord.extend({ memory_type: z.enum(MEMORY_TYPES), version: z.int() }).meta({
  id: 'MemoryDetail',
});
export type MemoryDetail = z.infer<typeof MemoryDetail>;

export const MemoryVersion = MemoryDetail.extend({
  valid_from: IsoTime,
  valid_to: IsoTime.nullable().meta({ description: 'End of the validity; null for the current version.' }),
}).meta({ id: 'MemoryVersion' });
export type MemoryVersion = z.infer<typeof MemoryVersion>;

export const CreateMemoryRequest = z
  .strictObject({
    user_id: UserId.optional().meta({
      description: 'User who owns the memory. Required with an API key; with a token, it is the user of the token.',
    }),
    memory: MemoryText,
    memory_type: z.enum(MEMORY_TYPES).default('user'),
    topics: Topics.default([]),
    metadata: JsonObject.default({}),
  })
  .meta({ id: 'CreateMemoryRequest' });
export type CreateMemoryRequest = z.infer<typeof CreateMemoryRequest>;

/** Maximum number of memories in one request. */
const MAX_BATCH_MEMORIES = 1_000;

/** Items are validated one by one, so that a bad one fails alone. */
export const CreateMemoriesRequest = z
  .strictObject({
    memories: z
      .array(z.unknown().meta({ $ref: '#/$defs/CreateMemoryRequest' }))
      .min(1)
      .max(MAX_BATCH_MEMORIES),
  })
  .meta({ id: 'CreateMemoriesRequest' });

export const UpdateMemoryRequest = z
  .strictObject({
    user_id: UserId.optional().meta({ description: 'User who owns the memory. Required with an API key.' }),
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

const MemoryIssue = z.object({ loc: z.array(z.string()), msg: z.string(), type: z.string() });

/** The result of one item of a batch. `index`: the position of the item, from 0. */
export const MemoryBatchResult = z
  .discriminatedUnion('status', [
    z.object({ index: z.int(), status: z.literal('created'), memory_id: Id, memory: MemoryRecord }),
    z.object({
      index: z.int(),
      status: z.literal('failed'),
      error: z.object({
        code: z.literal('validation_failed'),
        detail: z.array(MemoryIssue).meta({ description: 'Every problem of the item.' }),
      }),
    }),
  ])
  .meta({ id: 'MemoryBatchResult' });
export type MemoryBatchResult = z.infer<typeof MemoryBatchResult>;

export const CreateMemoriesAnswer = z
  .object({
    results: z.array(MemoryBatchResult).meta({ description: 'A result for each item, in the order of the items.' }),
    created: z.int(),
    failed: z.int(),
  })
  .meta({ id: 'CreateMemoriesAnswer' });
export type CreateMemoriesAnswer = z.infer<typeof CreateMemoriesAnswer>;

export const ReplaceMemoryAnswer = z
  .object({ memory_id: Id, message: z.string(), old_memory: MemoryRecord, new_memory: MemoryRecord })
  .meta({ id: 'ReplaceMemoryAnswer' });
export type ReplaceMemoryAnswer = z.infer<typeof ReplaceMemoryAnswer>;

/** A time in the past, exact to the millisecond as the times of records are. */
export const AsOf = IsoTimeInput.meta({
  description: 'Returns memories as they were at this time: ISO 8601 date-time, in UTC when it has no offset.',
  'x-loci-extension': true,
});

export const MemoryList = cursorListOf(MemoryDetail).meta({ id: 'MemoryList' });
export type MemoryList = z.infer<typeof MemoryList>;

export const MemoryHistory = z
  .object({
    memory_id: Id,
    data: z.array(MemoryVersion).meta({ description: 'Versions of the memory, newest first.' }),
    total_count: z.int(),
    ...NEXT_PAGE,
  })
  .meta({ id: 'MemoryHistory' });
export type MemoryHistory = z.infer<typeof MemoryHistory>;

export const SearchMemoriesRequest = z
  .strictObject({
    query: z
      .string()
      .max(8192)
      .default('')
      .meta({ description: 'Search query. Not required with `last_n` and `first_n`.' }),
    user_id: UserId.optional().meta({
      description:
        'Restricts the search to the memories of this user. With an API key ' +
        'the default is all users; with a token, its own user.',
    }),
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
    steps: z.array(z.string()).meta({ description: 'Retrieval steps, in the order in which they ran.' }),
    model: z.string().nullable().meta({ description: 'Chat model that was used.' }),
    queries: z.array(z.string()).meta({ description: 'Queries that were searched for.' }),
    note: z.string().nullable(),
  })
  .meta({ id: 'RetrievalDetails' });
export type RetrievalDetails = z.infer<typeof RetrievalDetails>;

export const SearchMemoriesResponse = z
  .object({
    memories: z.array(MemoryRecord),
    total_results: z.int().meta({ description: 'Number of memories in this response.' }),
    query: z.string(),
    retrieval_method: z.enum(RETRIEVAL_METHODS),
    retrieval_details: RetrievalDetails.meta({ 'x-loci-extension': true }),
  })
  .meta({ id: 'SearchMemoriesResponse' });
export type SearchMemoriesResponse = z.infer<typeof SearchMemoriesResponse>;
