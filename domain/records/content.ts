import { z } from 'zod';
import { CONTENT_STATUSES, SYNC_STATUSES } from '#domain/statuses.ts';
import { AnyObject, Id, JsonObject, textField, UnixTime } from './fields.ts';

/** A content as the interface shows it. */
export const Content = z
  .object({
    id: Id,
    name: z.string(),
    description: z.string().nullable(),
    metadata: AnyObject,
    type: z.string().nullable().meta({ description: 'Media type' }),
    size: z.int().nullable().meta({ description: 'Bytes; null until a URL is downloaded' }),
    status: z.enum(CONTENT_STATUSES),
    sync_status: z.enum(SYNC_STATUSES),
    status_message: z.string().nullable(),
    content_hash: z.string().nullable().meta({ description: 'SHA-256 of the bytes, hex' }),
    file_data: AnyObject,
    definition: z.string().nullable(),
    created_at: UnixTime,
    updated_at: UnixTime,
    external_id: z.string().nullable(),
    collection_id: Id,
    workspace_id: Id,
    config: AnyObject.meta({ description: 'Reader, chunker and embedder used' }),
    linked_to: Id.nullable(),
    access_count: z.int(),
  })
  .meta({ id: 'Content' });
export type Content = z.infer<typeof Content>;

/** Only fields that are sent change. */
export const UpdateContentRequest = z
  .strictObject({
    name: textField(1024, 1).optional(),
    description: textField(10_000).nullable().optional(),
    metadata: JsonObject.optional(),
    status: z.enum(CONTENT_STATUSES).optional(),
    sync_status: z.enum(SYNC_STATUSES).optional(),
    status_message: textField(10_000).nullable().optional(),
    definition: textField(64 * 1024)
      .nullable()
      .optional(),
  })
  .meta({ id: 'UpdateContentRequest' });
export type UpdateContentRequest = z.infer<typeof UpdateContentRequest>;

/** `GET /contents/{id}/chunks`: one chunk. */
export const ContentChunk = z
  .object({
    id: Id,
    content_id: Id,
    content: z.string(),
    embedding: z.array(z.number()).nullable(),
    meta_data: AnyObject,
    collection_id: Id,
    workspace_id: Id,
    name: z.string(),
    filters: AnyObject.meta({ description: 'The metadata of the content, by which the chunk can be filtered' }),
    created_at: UnixTime,
  })
  .meta({ id: 'ContentChunk' });
export type ContentChunk = z.infer<typeof ContentChunk>;

export const ContentChunksResponse = z
  .object({
    content_id: Id,
    collection_id: Id,
    chunks: z.array(ContentChunk),
    total_chunks: z.int(),
    includes_embeddings: z.boolean(),
  })
  .meta({ id: 'ContentChunksResponse' });
export type ContentChunksResponse = z.infer<typeof ContentChunksResponse>;
