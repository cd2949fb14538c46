import { z } from 'zod';
import { NEXT_PAGE } from './cursor-list.ts';
import { Id, UnixTime } from './fields.ts';

/** Where a chunk is in its document. `start` and `end` refer to `GET /contents/{content_id}/text`. */
export const ChunkMetadata = z
  .looseObject({
    page: z
      .int()
      .nullable()
      .meta({ description: 'Page on which the chunk starts, from 1; null for formats without pages.' }),
    heading_path: z
      .array(z.string())
      .meta({ description: 'Titles of the headings that apply to the whole chunk, outermost first.' }),
    start: z
      .int()
      .meta({ description: 'Position of the first character in the extracted text, in UTF-16 code units, from 0.' }),
    end: z
      .int()
      .meta({ description: 'Position after the last character in the extracted text, in UTF-16 code units.' }),
    tokens: z.int().optional().meta({
      description: 'Number of tokens that are embedded, with the headings above. Absent for chunks of early versions.',
    }),
  })
  .meta({ id: 'ChunkMetadata' });

export type ChunkMetadata = z.infer<typeof ChunkMetadata>;

/** The fields that conditions on `chunk.*` can name. */
export const CHUNK_FIELDS: ReadonlySet<string> = new Set(Object.keys(ChunkMetadata.shape));

/** A chunk in the responses of `GET /chunks` and `GET /chunks/{chunk_id}`. */
export const Chunk = z
  .object({
    id: Id.meta({ description: 'Id of the chunk. It stays the same until the content is ingested again.' }),
    content_id: Id.meta({ description: 'Content that the chunk is part of.' }),
    collection_id: Id.meta({ description: 'Collection in which the content was split into this chunk.' }),
    content: z.string().meta({ description: 'Text of the chunk, an exact part of the extracted text.' }),
    metadata: ChunkMetadata.meta({ description: 'Where the chunk is in its document.' }),
    chunk_index: z.int().meta({ description: 'Position of the chunk in its content, from 0.' }),
    size: z.int().meta({ description: 'Size of the text in bytes (UTF-8).' }),
    created_at: UnixTime.meta({ description: 'Time at which the chunk was written, in seconds since 1970-01-01 UTC.' }),
    embedding: z
      .array(z.number())
      .nullable()
      .meta({ description: 'Embedding vector; null unless the request sets `include_embedding`.' }),
  })
  .meta({ id: 'Chunk' });
export type Chunk = z.infer<typeof Chunk>;

export const ChunkPage = z
  .object({
    chunks: z.array(Chunk).meta({ description: 'Chunks in the order in which they were published.' }),
    total_count: z.int().default(0).meta({ description: 'Number of chunks that match the filters, on all pages.' }),
    next_cursor: NEXT_PAGE.next_cursor,
    has_more: NEXT_PAGE.has_more.default(false),
  })
  .meta({ id: 'ChunkPage' });
export type ChunkPage = z.infer<typeof ChunkPage>;

export const CreateChunksRequest = z
  .strictObject({
    content_id: Id.meta({ description: 'Content to ingest.' }),
    collection_id: Id.optional().meta({
      description: 'Collection to ingest it into; by default the one it was uploaded to.',
    }),
    reader: z
      .string()
      .max(100)
      .optional()
      .meta({ description: 'Reader that extracts the text again. Without it, a text that is already stored is used.' }),
  })
  .meta({ id: 'CreateChunksRequest' });
export type CreateChunksRequest = z.infer<typeof CreateChunksRequest>;

export const CreateChunksResponse = z
  .object({
    content_id: Id.meta({ description: 'Content that is ingested.' }),
    collection_id: Id.meta({ description: 'Collection that it is ingested into.' }),
    status: z.string().meta({
      description: 'Status of the content at the time of the response: `pending`, or that of a run in progress.',
    }),
  })
  .meta({ id: 'CreateChunksResponse' });
export type CreateChunksResponse = z.infer<typeof CreateChunksResponse>;
