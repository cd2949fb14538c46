import { z } from 'zod';
import { AnyObject, Id, UnixTime } from './fields.ts';

/** A chunk in the responses of `GET /chunks` and `GET /chunks/{chunk_id}`. */
export const Chunk = z
  .object({
    id: Id,
    content_id: Id,
    collection_id: Id,
    content: z.string(),
    metadata: AnyObject,
    chunk_index: z.int(),
    size: z.int().meta({ description: 'Size of the text in bytes (UTF-8).' }),
    created_at: UnixTime,
    embedding: z
      .array(z.number())
      .nullable()
      .meta({ description: 'Embedding vector; null unless the request sets `include_embedding`.' }),
  })
  .meta({ id: 'Chunk' });
export type Chunk = z.infer<typeof Chunk>;

export const ChunkPage = z
  .object({
    chunks: z.array(Chunk),
    total_count: z.int().default(0),
    next_cursor: z.string().nullable(),
    has_more: z.boolean().default(false),
  })
  .meta({ id: 'ChunkPage' });
export type ChunkPage = z.infer<typeof ChunkPage>;

export const CreateChunksRequest = z
  .strictObject({ content_id: Id, collection_id: Id.optional(), reader: z.string().max(100).optional() })
  .meta({ id: 'CreateChunksRequest' });
export type CreateChunksRequest = z.infer<typeof CreateChunksRequest>;

export const CreateChunksResponse = z
  .object({ content_id: Id, collection_id: Id, status: z.string() })
  .meta({ id: 'CreateChunksResponse' });
export type CreateChunksResponse = z.infer<typeof CreateChunksResponse>;
