import { z } from 'zod';
import { CONTENT_STATUSES, SYNC_STATUSES } from '#domain/statuses.ts';
import { ChunkMetadata } from './chunk.ts';
import { AnyObject, FailureCode, Id, JsonObject, textField, UnixTime, WorkspaceId } from './fields.ts';

/** A content in API responses. */
export const Content = z
  .object({
    id: Id.meta({ description: 'Id of the content.' }),
    name: z.string().meta({ description: 'File name, URL or label.' }),
    description: z
      .string()
      .nullable()
      .meta({ description: 'What the content is about, as its uploader described it.' }),
    metadata: AnyObject.meta({ description: 'Metadata of the client, which search filters can use.' }),
    type: z.string().nullable().meta({ description: 'Media type of the file.' }),
    size: z.int().nullable().meta({ description: 'Size in bytes; null until the URL is downloaded.' }),
    status: z.enum(CONTENT_STATUSES).meta({
      description:
        'Where the content is on its way to `ready`, when searches find it. `stored` waits for a request to ingest it.',
    }),
    sync_status: z.enum(SYNC_STATUSES).meta({
      description:
        'Whether the index has the current name and metadata: `stale` until a change has reached it, `error` after a failure.',
    }),
    status_message: z.string().nullable().meta({
      description: 'What the content waits for, or why it failed and what to do; null when there is nothing to say.',
    }),
    /** Absent in answers that were stored before it existed. */
    error_code: FailureCode.nullable().default(null).meta({
      description: 'Why the ingestion failed, for programs; null unless `status` is `failed`.',
      'x-loci-extension': true,
    }),
    content_hash: z.string().nullable().meta({ description: 'SHA-256 of the bytes, in hexadecimal.' }),
    file_data: AnyObject.meta({
      description:
        'What is known about the file: `original_name`, `url`, `path` in an archive, `text_bytes`, and a note when name and bytes disagree about the type.',
    }),
    definition: z.string().nullable().meta({ description: 'Free text of the client, at most 65,536 characters.' }),
    created_at: UnixTime.meta({ description: 'Time of creation, in seconds since 1970-01-01 UTC.' }),
    updated_at: UnixTime.meta({ description: 'Time of the last change, in seconds since 1970-01-01 UTC.' }),
    external_id: z
      .string()
      .nullable()
      .meta({ description: 'Id in another system, from `metadata.external_id`, unique in its collection.' }),
    collection_id: Id.meta({ description: 'Collection that the content was uploaded to.' }),
    workspace_id: WorkspaceId,
    config: AnyObject.meta({ description: 'Reader, chunker and embedder that were used.' }),
    linked_to: Id.nullable().meta({
      description: 'Archive, message or page in which the content was found; null for one that was uploaded itself.',
    }),
    access_count: z.int().meta({
      description:
        'How often the content, its file, its text or its chunks were read, counted with a delay of seconds.',
    }),
  })
  .meta({ id: 'Content' });
export type Content = z.infer<typeof Content>;

/** Fields that are absent stay unchanged. */
export const UpdateContentRequest = z
  .strictObject({
    name: textField(1024, 1).optional().meta({ description: 'New name, 1 to 1,024 characters.' }),
    description: textField(10_000)
      .nullable()
      .optional()
      .meta({ description: 'New description, at most 10,000 characters; null removes it.' }),
    metadata: JsonObject.optional().meta({
      description: 'Free-form JSON object, at most 65,536 characters; replaces the previous one.',
    }),
    status: z
      .enum(CONTENT_STATUSES)
      .optional()
      .meta({ description: 'Shown as written until the next event of the content overwrites it.' }),
    sync_status: z
      .enum(SYNC_STATUSES)
      .optional()
      .meta({ description: 'Shown as written. `stale` also writes name and metadata to the index again.' }),
    status_message: textField(10_000)
      .nullable()
      .optional()
      .meta({ description: 'Shown as written, at most 10,000 characters; null removes it.' }),
    definition: textField(64 * 1024)
      .nullable()
      .optional()
      .meta({ description: 'Free text, at most 65,536 characters; null removes it.' }),
  })
  .meta({ id: 'UpdateContentRequest' });
export type UpdateContentRequest = z.infer<typeof UpdateContentRequest>;

/** One chunk in the response of `GET /contents/{content_id}/chunks`. */
export const ContentChunk = z
  .object({
    id: Id.meta({ description: 'Id of the chunk.' }),
    content_id: Id.meta({ description: 'Content that the chunk is part of.' }),
    content: z.string().meta({ description: 'Text of the chunk, an exact part of the extracted text.' }),
    embedding: z
      .array(z.number())
      .nullable()
      .meta({ description: 'Embedding vector; null unless the request sets `include_embeddings`.' }),
    meta_data: ChunkMetadata.meta({ description: 'Where the chunk is in its document.' }),
    collection_id: Id.meta({ description: 'Collection in which the content was split into this chunk.' }),
    workspace_id: WorkspaceId,
    name: z.string().meta({ description: 'Name of the content.' }),
    filters: AnyObject.meta({ description: 'Metadata of the content, which search filters can use.' }),
    created_at: UnixTime.meta({ description: 'Time at which the chunk was written, in seconds since 1970-01-01 UTC.' }),
  })
  .meta({ id: 'ContentChunk' });
export type ContentChunk = z.infer<typeof ContentChunk>;

export const ContentChunksResponse = z
  .object({
    content_id: Id.meta({ description: 'Content that was asked for.' }),
    collection_id: Id.meta({ description: 'Collection whose chunks these are.' }),
    chunks: z.array(ContentChunk).meta({ description: 'Chunks in the order of the text.' }),
    total_chunks: z.int().meta({ description: 'Number of chunks of the content in this collection, on all pages.' }),
    includes_embeddings: z.boolean().meta({ description: 'Whether `embedding` is set.' }),
  })
  .meta({ id: 'ContentChunksResponse' });
export type ContentChunksResponse = z.infer<typeof ContentChunksResponse>;

/** A version of a content that searches find, or found. */
export const ContentVersion = z
  .object({
    version: z.int().meta({ description: 'Number of the version: each ingestion has the next one, also if it fails.' }),
    published_at: UnixTime.nullable().meta({
      description:
        'Time from which searches found it, in seconds since 1970-01-01 UTC; null if an earlier release published it.',
    }),
    replaced_at: UnixTime.nullable().meta({
      description: 'Time at which the next version took its place; null for the present one.',
    }),
    upload_id: Id.nullable().meta({
      description: 'Upload that brought it; null if it was ingested without one, or an earlier release published it.',
    }),
    chunks: z.int().meta({ description: 'Number of its chunks.' }),
    text_sha256: z.string().nullable().meta({
      description: 'SHA-256 of its extracted text: equal in two versions with the same text.',
    }),
  })
  .meta({ id: 'ContentVersion' });
export type ContentVersion = z.infer<typeof ContentVersion>;

export const ContentVersionList = z
  .object({
    content_id: Id.meta({ description: 'Content that was asked for.' }),
    collection_id: Id.meta({ description: 'Collection whose versions these are.' }),
    versions: z.array(ContentVersion).meta({
      description:
        'The present version and at most 19 before it, newest first; none until the content is published for the first time.',
    }),
  })
  .meta({ id: 'ContentVersionList' });
export type ContentVersionList = z.infer<typeof ContentVersionList>;
