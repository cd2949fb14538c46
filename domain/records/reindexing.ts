import { z } from 'zod';
import { DELETION_STATUSES } from '#domain/statuses.ts';
import { Id, IsoTime } from './fields.ts';

/** Progress of rebuilding the search index of a workspace. */
export const Reindexing = z
  .object({
    id: Id,
    workspace_id: Id,
    status: z.enum(DELETION_STATUSES),
    total_contents: z
      .int()
      .meta({ description: 'Number of published contents at the start, counted once for each of their collections.' }),
    contents: z.int().meta({ description: 'Number of contents that have been written to the index.' }),
    skipped_contents: z.int().meta({
      description:
        'Number of contents skipped because the embedder of their collection is not configured on this server.',
    }),
    chunks: z.int(),
    total_memories: z.int().meta({ description: 'Number of versions of memories.' }),
    memories: z.int(),
    created_at: IsoTime,
    updated_at: IsoTime,
    completed_at: IsoTime.nullable(),
  })
  .meta({ id: 'Reindexing' });
export type Reindexing = z.infer<typeof Reindexing>;
