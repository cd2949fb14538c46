import { z } from 'zod';
import { DELETION_KINDS } from '#domain/deletion-kinds.ts';
import { DELETION_STATUSES } from '#domain/statuses.ts';
import { newestListOf } from './cursor-list.ts';
import { CreatedAt, Id, IsoTime, WorkflowId, WorkspaceId } from './fields.ts';

/** Response to a deletion that a workflow carries out. */
export const DeletionAccepted = z
  .object({
    deletion_id: Id.meta({ description: 'Id of the receipt, for `GET /deletions/{deletion_id}`.' }),
    status: z.enum(DELETION_STATUSES).meta({ description: 'Progress of the deletion at the time of the response.' }),
  })
  .meta({ id: 'DeletionAccepted' });
export type DeletionAccepted = z.infer<typeof DeletionAccepted>;

/** The receipt of a deletion: what was removed, and when it was verified that nothing remains. */
export const Deletion = z
  .object({
    id: Id.meta({ description: 'Id of the receipt.' }),
    workspace_id: WorkspaceId,
    kind: z.enum(DELETION_KINDS).meta({ description: 'What was deleted.' }),
    subject_id: Id.meta({ description: 'Id of what was deleted; for `user_memories`, an id derived from `user_id`.' }),
    user_id: z.string().nullable().meta({ description: 'User whose memories were deleted; null for other kinds.' }),
    status: z.enum(DELETION_STATUSES).meta({ description: '`completed` when everything is removed and counted.' }),
    workflow_id: WorkflowId,
    removed: z
      .object({
        contents: z.int().meta({
          description:
            'Contents, with those found in archives and messages. For callers limited to some collections, this includes contents ' +
            'that other collections still have.',
        }),
        chunks: z.int().meta({ description: 'Chunks, of every version.' }),
        index_objects: z.int().meta({ description: 'Objects of the search index.' }),
        blobs: z.int().meta({
          description:
            'Files that nothing else refers to. They are removed within 24 hours; those of a deleted workspace immediately. For callers ' +
            'limited to some collections: the files of all these contents, even if still used elsewhere.',
        }),
        collections: z.int().meta({ description: 'Collections; more than 0 only when a workspace was deleted.' }),
        conversations: z.int().meta({ description: 'Conversations; more than 0 only when a workspace was deleted.' }),
        messages: z.int().meta({ description: 'Messages; more than 0 only when a workspace was deleted.' }),
        memories: z.int().meta({ description: 'Memories, with all their versions, of a workspace or of a user.' }),
      })
      .meta({ description: 'What was removed so far.' }),
    verified_at: IsoTime.nullable().meta({
      description: 'Time at which no rows and no index objects were left.',
    }),
    created_at: CreatedAt,
    completed_at: IsoTime.nullable().meta({
      description: 'Time at which the deletion was completed; null until then.',
    }),
  })
  .meta({ id: 'Deletion' });
export type Deletion = z.infer<typeof Deletion>;

export const DeletionList = newestListOf(Deletion).meta({ id: 'DeletionList' });
export type DeletionList = z.infer<typeof DeletionList>;
