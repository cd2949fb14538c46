import { z } from 'zod';
import { CONTENT_STATUSES, SYNC_STATUSES } from '#domain/statuses.ts';
import { AnyObject, Id, JsonObject, textField, UnixTime } from './fields.ts';

/** A content in API responses. */
export const Content = z
  .object({
    id: Id,
    name: z.string(),
    description: z.string().nullable(),
    metadata: AnyObject,
    type: z.string().nullable().meta({ description: 'Media type of the file.' }),
    size: z.int().nullable().meta({ description: 'Size in bytes; null until the URL is downloaded.' }),
    status: z.enum(CONTENT_STATUSES),
    sync_status: z.enum(SYNC_STATUSES),
    status_message: z.string().nullable(),
    content_hash: z.string().nullable().meta({ description: 'SHA-256 of the bytes, in hexadecimal.' }),
    file_data: AnyObject,
    definition: z.string().nullable(),
    created_at: UnixTime,
    updated_at: UnixTime,
    external_id: z.string().nullable(),
    collection_id: Id,
    workspace_id: Id,
    config: AnyObject.meta({ description: 'Reader, chunker and embedder that were used.' }),
    linked_to: Id.nullable(),
    access_count: z.int(),
  })
  .meta({ id: 'Content' });
export type Content = z.infer<typeof Content>;

/** Fields that are absent stay unchanged. */
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

/** One chunk in the response of `GET /contents/{content_id}/chunks`. */
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
    filters: AnyObject.meta({ description: 'Metadata of the content, which search filters can use.' }),
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
