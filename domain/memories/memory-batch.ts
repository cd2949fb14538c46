import { z } from 'zod';
import { Id, ValidationIssue } from '#domain/records/fields.ts';
import { MemoryRecord } from '#domain/records/memory.ts';

/** Maximum number of memories in one request. */
const MAX_BATCH_MEMORIES = 1_000;

/** Items are validated one by one, so that a bad one fails alone. */
export const CreateMemoriesRequest = z
  .strictObject({
    memories: z
      .array(z.unknown().meta({ $ref: '#/$defs/CreateMemoryRequest' }))
      .min(1)
      .max(MAX_BATCH_MEMORIES)
      .meta({ description: 'Memories to create, 1 to 1,000, each as in `POST /memories`.' }),
  })
  .meta({ id: 'CreateMemoriesRequest' });

const index = z.int().meta({ description: 'Position of the item in the request, from 0.' });

/** The result of one item of a batch. */
export const MemoryBatchResult = z
  .discriminatedUnion('status', [
    z
      .object({
        index,
        status: z.literal('created').meta({ description: 'The memory was created.' }),
        memory_id: Id.meta({ description: 'Id of the memory.' }),
        memory: MemoryRecord.meta({ description: 'The memory that was created.' }),
      })
      .meta({ id: 'CreatedMemory' }),
    z
      .object({
        index,
        status: z.literal('failed').meta({ description: 'The item is invalid; nothing was stored.' }),
        error: z
          .object({
            code: z.literal('validation_failed').meta({ description: 'What went wrong, for programs.' }),
            detail: z.array(ValidationIssue).meta({ description: 'Every problem of the item.' }),
          })
          .meta({ description: 'Why the item failed.' }),
      })
      .meta({ id: 'FailedMemory' }),
  ])
  .meta({ id: 'MemoryBatchResult' });
export type MemoryBatchResult = z.infer<typeof MemoryBatchResult>;

export const CreateMemoriesAnswer = z
  .object({
    results: z.array(MemoryBatchResult).meta({ description: 'A result for each item, in the order of the items.' }),
    created: z.int().meta({ description: 'Number of memories that were created.' }),
    failed: z.int().meta({ description: 'Number of items that failed.' }),
  })
  .meta({ id: 'CreateMemoriesAnswer' });
export type CreateMemoriesAnswer = z.infer<typeof CreateMemoriesAnswer>;
