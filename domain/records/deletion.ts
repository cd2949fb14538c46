import { z } from 'zod';
import { DELETION_STATUSES } from '#domain/statuses.ts';
import { Id, IsoTime } from './fields.ts';

/** Answer to a delete that runs as a workflow. */
export const DeletionAccepted = z
  .object({ deletion_id: Id, status: z.enum(DELETION_STATUSES) })
  .meta({ id: 'DeletionAccepted' });
export type DeletionAccepted = z.infer<typeof DeletionAccepted>;

/** The receipt: what was removed, and when nothing of it was found any more. */
export const Deletion = z
  .object({
    id: Id,
    workspace_id: Id,
    kind: z.enum(['content', 'collection', 'workspace']),
    subject_id: Id,
    status: z.enum(DELETION_STATUSES),
    removed: z.object({
      contents: z.int(),
      chunks: z.int(),
      index_objects: z.int(),
      blobs: z
        .int()
        .meta({ description: 'Files that nothing else refers to; they go within 24 hours, with a workspace at once' }),
      collections: z.int(),
      conversations: z.int(),
      messages: z.int(),
      memories: z.int(),
    }),
    verified_at: IsoTime.nullable().meta({
      description: 'When rows and index objects were counted and found to be zero',
    }),
    created_at: IsoTime,
    completed_at: IsoTime.nullable(),
  })
  .meta({ id: 'Deletion' });
export type Deletion = z.infer<typeof Deletion>;
