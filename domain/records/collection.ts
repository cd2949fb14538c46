import { z } from 'zod';
import { cursorListOf } from './cursor-list.ts';
import { EMBEDDER_PROVIDERS } from '#domain/embedder.ts';
import { COLLECTION_STATUSES } from '#domain/statuses.ts';
import { AnyObject, CreatedAt, CreatedBy, Id, JsonObject, textField, UpdatedAt, WorkspaceId } from './fields.ts';

/** The embedding space of an index of a collection. */
export const CollectionEmbedding = z.object({
  provider: z.enum(EMBEDDER_PROVIDERS).meta({
    description: 'Kind of embedder: `local` runs in the service, `openai` is a server, `lexical` counts words.',
  }),
  model: z.string().meta({ description: 'Name of the model.' }),
  model_hash: z.string().meta({ description: 'SHA-256 of the model weights, or a version tag.' }),
  dimensions: z.int().meta({ description: 'Length of a vector.' }),
});

/** Names one of the configured embedders. */
export const EmbeddingChoice = z
  .strictObject({
    name: z.string().optional().meta({
      description: 'Name of a configured embedder, as `/readyz` lists them: `default`, `lexical`, or another one.',
    }),
    provider: z.enum(EMBEDDER_PROVIDERS).optional().meta({
      description:
        'Kind of embedder, instead of a name. With several of a kind, the default embedder is meant if it is of it.',
    }),
    model: z.string().optional().meta({ description: 'Name of the model, with `provider`; by default any.' }),
  })
  .refine(({ name, provider }) => name !== undefined || provider !== undefined, 'needs a name or a provider');
export type EmbeddingChoice = z.infer<typeof EmbeddingChoice>;

/** A collection in API responses. */
export const Collection = z
  .object({
    id: Id.meta({ description: 'Id of the collection.' }),
    name: z.string().meta({ description: 'Name, 1 to 100 characters.' }),
    workspace_id: WorkspaceId,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
    description: z.string().nullable().meta({ description: 'What the collection contains, at most 255 characters.' }),
    store_type: z.string().meta({ description: 'Search index that holds the chunks: `weaviate`.' }),
    visibility: z.enum(['private', 'public']).meta({
      description:
        '`public`: every member of the workspace may read it. `private`: only its creator, administrators and API keys.',
    }),
    status: z
      .enum(COLLECTION_STATUSES)
      .meta({ description: '`archived`: can be read and searched, but not changed. `deleting`: is being removed.' }),
    tags: z.array(z.string()).meta({ description: 'Words to filter collections by.' }),
    parent_id: Id.nullable().meta({ description: 'Collection that this one belongs to; null at the top level.' }),
    stats: AnyObject.meta({
      description:
        'Statistics that the service computes (contents, contents by ' +
        'status, chunks, bytes) and those that clients stored.',
    }),
    meta_data: AnyObject.meta({ description: 'Free-form JSON object of the client.' }),
    settings: AnyObject.meta({ description: 'Free-form JSON object of the client; the service does not act on it.' }),
    embedding: CollectionEmbedding.meta({
      description: 'Embedder of the collection. `POST /collections/{collection_id}/reembed` changes it.',
    }),
    source_type: z
      .string()
      .meta({ description: 'Kind of the material, as the client named it; `document` by default.' }),
    source_id: z
      .string()
      .nullable()
      .meta({ description: 'Id of the material in another system, as the client named it.' }),
    created_by: CreatedBy,
  })
  .meta({ id: 'Collection' });
export type Collection = z.infer<typeof Collection>;

export const CreateCollectionRequest = z
  .strictObject({
    name: textField(100, 1).meta({
      description: 'Name, 1 to 100 characters. Several collections may have the same name.',
    }),
    description: textField(255)
      .nullable()
      .default(null)
      .meta({ description: 'What the collection contains, at most 255 characters.' }),
    visibility: z.enum(['private', 'public']).default('private').meta({
      description:
        '`public`: every member of the workspace may read it. `private`: only its creator, administrators and API keys.',
    }),
    tags: z
      .array(textField(100, 1))
      .max(100)
      .default([])
      .meta({ description: 'Words to filter collections by: at most 100, each of 1 to 100 characters.' }),
    parent_id: Id.nullable()
      .default(null)
      .meta({ description: 'Collection that the new one belongs to; null puts it at the top level.' }),
    meta_data: JsonObject.default({}).meta({ description: 'Free-form JSON object, at most 65,536 characters.' }),
    settings: JsonObject.default({}).meta({
      description: 'Free-form JSON object, at most 65,536 characters; the service does not act on it.',
    }),
    embedding: EmbeddingChoice.optional().meta({
      description: 'Configured embedder to use; the default embedder when absent.',
    }),
    source_type: textField(100, 1)
      .default('document')
      .meta({ description: 'Kind of the material, 1 to 100 characters.' }),
    source_id: textField(255)
      .nullable()
      .default(null)
      .meta({ description: 'Id of the material in another system, at most 255 characters.' }),
  })
  .meta({ id: 'CreateCollectionRequest' });
export type CreateCollectionRequest = z.infer<typeof CreateCollectionRequest>;

/** Fields that are absent stay unchanged. */
export const UpdateCollectionRequest = z
  .strictObject({
    name: textField(100, 1).optional().meta({ description: 'New name, 1 to 100 characters.' }),
    description: textField(255)
      .nullable()
      .optional()
      .meta({ description: 'New description, at most 255 characters; null removes it.' }),
    visibility: z
      .enum(['private', 'public'])
      .optional()
      .meta({ description: '`public`: every member of the workspace may read it.' }),
    tags: z
      .array(textField(100, 1))
      .max(100)
      .optional()
      .meta({ description: 'New tags, which replace the previous ones: at most 100, each of 1 to 100 characters.' }),
    parent_id: Id.nullable()
      .optional()
      .meta({ description: 'Parent collection; null moves the collection to the top level.' }),
    meta_data: JsonObject.optional().meta({
      description: 'Free-form JSON object, at most 65,536 characters; replaces the previous one.',
    }),
    settings: JsonObject.optional().meta({
      description: 'Free-form JSON object, at most 65,536 characters; replaces the previous one.',
    }),
  })
  .meta({ id: 'UpdateCollectionRequest' });
export type UpdateCollectionRequest = z.infer<typeof UpdateCollectionRequest>;

export const CollectionList = cursorListOf(Collection).meta({ id: 'CollectionList' });
export type CollectionList = z.infer<typeof CollectionList>;
