import { z } from 'zod';
import { DELETION_STATUSES } from '#domain/statuses.ts';
import { CreatedAt, Id, IsoTime, UpdatedAt } from './fields.ts';

/** Progress of rebuilding the search index of a workspace. */
export const Reindexing = z
  .object({
    id: Id.meta({ description: 'Id of the rebuild.' }),
    workspace_id: Id.meta({ description: 'Workspace whose index is rebuilt.' }),
    status: z.enum(DELETION_STATUSES).meta({ description: 'Progress of the rebuild.' }),
    total_contents: z
      .int()
      .meta({ description: 'Number of published contents at the start, counted once for each of their collections.' }),
    contents: z.int().meta({ description: 'Number of contents that have been written to the index.' }),
    skipped_contents: z.int().meta({
      description:
        'Number of contents skipped because the embedder of their collection is not configured on this server.',
    }),
    chunks: z.int().meta({ description: 'Number of chunks that have been written to the index.' }),
    total_memories: z.int().meta({ description: 'Number of versions of memories.' }),
    memories: z.int().meta({ description: 'Number of versions of memories that have been written to the index.' }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
    completed_at: IsoTime.nullable().meta({ description: 'Time at which the rebuild was completed; null until then.' }),
  })
  .meta({ id: 'Reindexing' });
export type Reindexing = z.infer<typeof Reindexing>;
