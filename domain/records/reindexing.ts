import { z } from 'zod';
import { DELETION_STATUSES } from '#domain/statuses.ts';
import { Id, IsoTime } from './fields.ts';

/** How far the search index of a workspace is made anew. */
export const Reindexing = z
  .object({
    id: Id,
    workspace_id: Id,
    status: z.enum(DELETION_STATUSES),
    total_contents: z
      .int()
      .meta({ description: 'Published contents when it began, once for each collection they are in' }),
    contents: z.int().meta({ description: 'Of these, those that are written' }),
    skipped_contents: z.int().meta({ description: 'In collections whose embedder is not configured here' }),
    chunks: z.int(),
    total_memories: z.int().meta({ description: 'Versions of memories' }),
    memories: z.int(),
    created_at: IsoTime,
    updated_at: IsoTime,
    completed_at: IsoTime.nullable(),
  })
  .meta({ id: 'Reindexing' });
export type Reindexing = z.infer<typeof Reindexing>;
