import { z } from 'zod';
import { boundedListOf, NEXT_PAGE } from './cursor-list.ts';
import { RerankOption, RERANKING } from './rerank-option.ts';
import { AnyObject, CreatedAt, Id, IsoTime, IsoTimeInput, JsonObject, textField, UpdatedAt } from './fields.ts';

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
const MemoryText = textField(MAX_MEMORY_CHARACTERS, 1)
  .refine((text) => text.trim() !== '', { message: 'Must not be blank' })
  .meta({ description: 'Text of the memory, 1 to 16,384 characters, not blank.' });
const Topics = z
  .array(textField(100, 1))
  .max(100)
  .meta({ description: 'Words that say what the memory is about: at most 100, each of 1 to 100 characters.' });
const Metadata = JsonObject.meta({ description: 'Free-form JSON object, at most 65,536 characters.' });

/** A memory in API responses. */
export const MemoryRecord = z
  .object({
    memory_id: Id.meta({ description: 'Id of the memory. All its versions have it.' }),
    user_id: z.string().meta({ description: 'User who owns the memory.' }),
    memory: z.string().meta({ description: 'Text of the memory.' }),
    topics: z.array(z.string()).meta({ description: 'Words that say what the memory is about.' }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
    metadata: AnyObject.meta({ description: 'Free-form JSON object of the client.' }),
  })
  .meta({ id: 'MemoryRecord' });
export type MemoryRecord = z.infer<typeof MemoryRecord>;

/** A memory with the fields that Loci adds to the interface. */
export const MemoryDetail = MemoryRecord.extend({
  memory_type: z
    .enum(MEMORY_TYPES)
    .meta({ description: 'Whom the memory is about. Every user of the workspace may read those of type `team`.' }),
  version: z.int().meta({ description: 'Number of the version, from 1.' }),
  superseded_by: Id.nullable().meta({
    description:
      'Id of the memory that superseded this one: a later fact of a conversation that contradicts or updates it. It may have been ' +
      'deleted since. Null while this one is current.',
  }),
  superseded_at: IsoTime.nullable().meta({
    description: 'Time from which it is superseded, so that searches no longer find it; null while it is current.',
  }),
}).meta({
  id: 'MemoryDetail',
});
export type MemoryDetail = z.infer<typeof MemoryDetail>;

export const MemoryVersion = MemoryDetail.extend({
  valid_from: IsoTime.meta({ description: 'Time from which this version was the current one.' }),
  valid_to: IsoTime.nullable().meta({ description: 'End of the validity; null for the current version.' }),
}).meta({ id: 'MemoryVersion' });
export type MemoryVersion = z.infer<typeof MemoryVersion>;

export const CreateMemoryRequest = z
  .strictObject({
    user_id: UserId.optional().meta({
      description: 'User who owns the memory. Required with an API key; with a token, it is the user of the token.',
    }),
    memory: MemoryText,
    memory_type: z
      .enum(MEMORY_TYPES)
      .default('user')
      .meta({ description: 'Whom the memory is about. Every user of the workspace may read those of type `team`.' }),
    topics: Topics.default([]),
    metadata: Metadata.default({}),
  })
  .meta({ id: 'CreateMemoryRequest' });
export type CreateMemoryRequest = z.infer<typeof CreateMemoryRequest>;

export const UpdateMemoryRequest = z
  .strictObject({
    user_id: UserId.optional().meta({ description: 'User who owns the memory. Required with an API key.' }),
    memory: MemoryText.optional(),
    topics: Topics.optional(),
    metadata: Metadata.optional(),
  })
  .meta({ id: 'UpdateMemoryRequest' });
export type UpdateMemoryRequest = z.infer<typeof UpdateMemoryRequest>;

export const ReplaceMemoryRequest = z
  .strictObject({ user_id: UserId, memory: MemoryText, topics: Topics, metadata: Metadata })
  .meta({ id: 'ReplaceMemoryRequest' });
export type ReplaceMemoryRequest = z.infer<typeof ReplaceMemoryRequest>;

export const MemoryAnswer = z
  .object({
    memory_id: Id.meta({ description: 'Id of the memory.' }),
    message: z.string().meta({ description: 'What was done, for people.' }),
    memory: MemoryRecord.meta({ description: 'The memory after the request.' }),
  })
  .meta({ id: 'MemoryAnswer' });
export type MemoryAnswer = z.infer<typeof MemoryAnswer>;

export const ReplaceMemoryAnswer = z
  .object({
    memory_id: Id.meta({ description: 'Id of the memory.' }),
    message: z.string().meta({ description: 'What was done, for people.' }),
    old_memory: MemoryRecord.meta({ description: 'The memory before the request.' }),
    new_memory: MemoryRecord.meta({ description: 'The memory after the request.' }),
  })
  .meta({ id: 'ReplaceMemoryAnswer' });
export type ReplaceMemoryAnswer = z.infer<typeof ReplaceMemoryAnswer>;

/** A time in the past, exact to the millisecond as the times of records are. */
export const AsOf = IsoTimeInput.meta({
  description: 'Returns memories as they were at this time: ISO 8601 date-time, in UTC when it has no offset.',
  'x-loci-extension': true,
});

export const MemoryList = boundedListOf(MemoryDetail).meta({ id: 'MemoryList' });
export type MemoryList = z.infer<typeof MemoryList>;

export const MemoryHistory = z
  .object({
    memory_id: Id.meta({ description: 'Id of the memory.' }),
    data: z.array(MemoryVersion).meta({ description: 'Versions of the memory, newest first.' }),
    total_count: z.int().meta({ description: 'Number of versions, on all pages.' }),
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
    limit: z.int().min(1).max(100).default(10).meta({ description: 'Largest number of memories to return.' }),
    retrieval_method: z
      .enum(RETRIEVAL_METHODS)
      .default('agentic')
      .meta({ description: 'How to search. `agentic` is the same as `agentic_hybrid`.' }),
    as_of: AsOf.optional(),
    rerank: RerankOption.optional(),
  })
  .superRefine(({ query, retrieval_method, rerank }, context) => {
    const isByAge = retrieval_method === 'last_n' || retrieval_method === 'first_n';
    if (isByAge && rerank !== undefined && rerank !== false) {
      const message = `Must be left out with ${retrieval_method}, which orders by age`;
      context.addIssue({ code: 'custom', path: ['rerank'], message, params: { type: 'conflicting_fields' } });
    }
    if (query.trim() !== '' || isByAge) return;
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
    note: z
      .string()
      .nullable()
      .meta({ description: 'Why the search differs from what was asked for; null when it does not.' }),
  })
  .meta({ id: 'RetrievalDetails' });
export type RetrievalDetails = z.infer<typeof RetrievalDetails>;

export const SearchMemoriesResponse = z
  .object({
    memories: z.array(MemoryRecord).meta({
      description:
        'Memories that were found, best first; for `last_n` and `first_n` in the order of their creation time.',
    }),
    total_results: z.int().meta({ description: 'Number of memories in this response.' }),
    query: z.string().meta({ description: 'Query of the request.' }),
    retrieval_method: z.enum(RETRIEVAL_METHODS).meta({ description: 'Method of the request.' }),
    retrieval_details: RetrievalDetails.meta({ description: 'What was executed.', 'x-loci-extension': true }),
    ...RERANKING,
  })
  .meta({ id: 'SearchMemoriesResponse' });
export type SearchMemoriesResponse = z.infer<typeof SearchMemoriesResponse>;
