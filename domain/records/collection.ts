import { z } from 'zod';
import { cursorListOf } from './cursor-list.ts';
import { EMBEDDER_PROVIDERS } from '#domain/embedder.ts';
import { COLLECTION_STATUSES } from '#domain/statuses.ts';
import { AnyObject, Id, IsoTime, JsonObject, textField } from './fields.ts';

const CollectionEmbedding = z.object({
  provider: z.enum(EMBEDDER_PROVIDERS),
  model: z.string(),
  model_hash: z.string().meta({ description: 'SHA-256 of the model weights, or a version tag.' }),
  dimensions: z.int(),
});

/** A collection in API responses. */
export const Collection = z
  .object({
    id: Id,
    name: z.string(),
    workspace_id: Id,
    created_at: IsoTime,
    updated_at: IsoTime,
    description: z.string().nullable(),
    store_type: z.string(),
    visibility: z.enum(['private', 'public']),
    status: z.enum(COLLECTION_STATUSES),
    tags: z.array(z.string()),
    parent_id: Id.nullable(),
    stats: AnyObject.meta({
      description:
        'Statistics that the service computes (contents, contents by ' +
        'status, chunks, bytes) and those that clients stored.',
    }),
    meta_data: AnyObject,
    settings: AnyObject,
    embedding: CollectionEmbedding,
    source_type: z.string(),
    source_id: z.string().nullable(),
    created_by: z.string().nullable(),
  })
  .meta({ id: 'Collection' });
export type Collection = z.infer<typeof Collection>;

export const CreateCollectionRequest = z
  .strictObject({
    name: textField(100, 1),
    description: textField(255).nullable().default(null),
    visibility: z.enum(['private', 'public']).default('private'),
    tags: z.array(textField(100, 1)).max(100).default([]),
    parent_id: Id.nullable().default(null),
    meta_data: JsonObject.default({}),
    settings: JsonObject.default({}),
    embedding: z
      .strictObject({ provider: z.enum(EMBEDDER_PROVIDERS), model: z.string().optional() })
      .optional()
      .meta({ description: 'Configured embedder to use; the default embedder when absent.' }),
    source_type: textField(100, 1).default('document'),
    source_id: textField(255).nullable().default(null),
  })
  .meta({ id: 'CreateCollectionRequest' });
export type CreateCollectionRequest = z.infer<typeof CreateCollectionRequest>;

/** Fields that are absent stay unchanged. */
export const UpdateCollectionRequest = z
  .strictObject({
    name: textField(100, 1).optional(),
    description: textField(255).nullable().optional(),
    visibility: z.enum(['private', 'public']).optional(),
    tags: z.array(textField(100, 1)).max(100).optional(),
    parent_id: Id.nullable()
      .optional()
      .meta({ description: 'Parent collection; null moves the collection to the top level.' }),
    meta_data: JsonObject.optional(),
    settings: JsonObject.optional(),
  })
  .meta({ id: 'UpdateCollectionRequest' });
export type UpdateCollectionRequest = z.infer<typeof UpdateCollectionRequest>;

export const CollectionList = cursorListOf(Collection).meta({ id: 'CollectionList' });
export type CollectionList = z.infer<typeof CollectionList>;
