import { z } from 'zod';
import { DELETION_STATUSES, REEMBEDDING_STATUSES } from '#domain/statuses.ts';
import { CollectionEmbedding, EmbeddingChoice } from './collection.ts';
import { newestListOf } from './cursor-list.ts';
import { CreatedAt, Id, IsoTime, UpdatedAt, WorkflowId } from './fields.ts';

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
    rejected_contents: z.array(Id).meta({
      description:
        'Contents of which the embedder rejects a text that it had to embed, up to 100 of them. These texts are not in the index; the rest of the contents is.',
    }),
    chunks: z.int().meta({ description: 'Number of chunks that have been written to the index.' }),
    total_memories: z.int().meta({ description: 'Number of versions of memories.' }),
    memories: z.int().meta({ description: 'Number of versions of memories that have been written to the index.' }),
    workflow_id: WorkflowId,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
    completed_at: IsoTime.nullable().meta({ description: 'Time at which the rebuild was completed; null until then.' }),
  })
  .meta({ id: 'Reindexing' });
export type Reindexing = z.infer<typeof Reindexing>;

/** Progress of changing the embedder of a collection. */
export const Reembedding = z
  .object({
    id: Id.meta({ description: 'Id of the re-embedding.' }),
    workspace_id: Id.meta({ description: 'Workspace of the collection.' }),
    collection_id: Id.meta({ description: 'Collection whose embedder changes.' }),
    status: z.enum(REEMBEDDING_STATUSES).meta({
      description:
        '`pending`: about to start. `building`: the new index is being built; searches use the old one. `paused`: by a request or an error. ' +
        '`switched`: searches use the new index; the old one is about to be removed. `cancelling`, `failing`: the new index is ' +
        'being removed. `completed`, `cancelled`, `failed`: ended, and the index that is not used is removed.',
    }),
    status_message: z.string().nullable().meta({
      description:
        'What it waits for, which error paused it, why it failed, or that there was nothing to do; otherwise null.',
    }),
    from: CollectionEmbedding.meta({ description: 'Embedder before.' }),
    to: CollectionEmbedding.meta({ description: 'Embedder afterwards.' }),
    total_contents: z.int().meta({
      description: 'Number of published contents at the start; from the switch on, at the time of the switch.',
    }),
    contents: z.int().meta({
      description:
        'Number of contents that are complete in the new index, without those published meanwhile; from the switch on, all.',
    }),
    chunks: z
      .int()
      .meta({ description: 'Number of chunks written to the new index, without those published meanwhile.' }),
    workflow_id: WorkflowId.nullable().meta({
      description: 'Id of the workflow, for the Temporal UI; null when there was nothing to do.',
    }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
    switched_at: IsoTime.nullable().meta({
      description: 'Time from which searches use the new index; null until then.',
    }),
    completed_at: IsoTime.nullable().meta({
      description: 'Time at which it ended, with any outcome; null until then.',
    }),
  })
  .meta({ id: 'Reembedding' });
export type Reembedding = z.infer<typeof Reembedding>;

export const ReembeddingList = newestListOf(Reembedding).meta({ id: 'ReembeddingList' });
export type ReembeddingList = z.infer<typeof ReembeddingList>;

export const ReembedRequest = z
  .strictObject({
    embedding: EmbeddingChoice.optional().meta({
      description: 'Configured embedder to change to; the default embedder when absent.',
    }),
  })
  .meta({ id: 'ReembedRequest' });
export type ReembedRequest = z.infer<typeof ReembedRequest>;
