import { z } from 'zod';
import { DELETION_STATUSES } from '#domain/statuses.ts';
import { Id, IsoTime } from './fields.ts';

/** Response to a deletion that a workflow carries out. */
export const DeletionAccepted = z
  .object({ deletion_id: Id, status: z.enum(DELETION_STATUSES) })
  .meta({ id: 'DeletionAccepted' });
export type DeletionAccepted = z.infer<typeof DeletionAccepted>;

/** The receipt of a deletion: what was removed, and when it was verified that nothing remains. */
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
      blobs: z.int().meta({
        description:
          'Files that nothing else refers to. They are removed within 24 hours; those of a deleted workspace immediately.',
      }),
      collections: z.int(),
      conversations: z.int(),
      messages: z.int(),
      memories: z.int(),
    }),
    verified_at: IsoTime.nullable().meta({
      description: 'Time at which no rows and no index objects were left.',
    }),
    created_at: IsoTime,
    completed_at: IsoTime.nullable(),
  })
  .meta({ id: 'Deletion' });
export type Deletion = z.infer<typeof Deletion>;
