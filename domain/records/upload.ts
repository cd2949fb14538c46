import { z } from 'zod';
import { NEXT_PAGE } from './cursor-list.ts';
import { CONTENT_STATUSES, UPLOAD_STATUSES } from '#domain/statuses.ts';
import { Id, IsoTime, JsonObject, textField } from './fields.ts';

const MAX_CRAWL_DEPTH = 50;
export const DEFAULT_CRAWL = { maxPages: 100, maxDepth: 3 };

/** The text fields of `POST /upload`, all optional but the collection; files come beside them. */
export const UploadForm = z.strictObject({
  collection_id: Id.meta({ description: 'Target collection' }),
  content: z.string().optional().meta({ description: 'Direct text, taken as one content' }),
  urls: z
    .array(z.string())
    .default([])
    .meta({ description: 'URLs to download, of at most 4096 characters; the field repeated, or one JSON array' }),
  content_type: z
    .enum(['file', 'url', 'text'])
    .default('file')
    .meta({ description: 'A hint of the main input; all inputs are taken' }),
  metadata: JsonObject.default({}).meta({
    description: 'A JSON object as text, attached to every content of the upload',
  }),
  user_id: textField(255, 1).nullable().default(null),
  label: textField(255, 1)
    .nullable()
    .default(null)
    .meta({ description: 'Name of the content when it is the only one, else kept in the metadata' }),
  description: textField(10_000).nullable().default(null),
  crawl: z.boolean().default(false).meta({ description: 'Follow the links of the URLs' }),
  max_pages: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .meta({ description: 'Most pages of a crawl; 100 by default', 'x-loci-extension': true }),
  max_depth: z
    .int()
    .min(0)
    .max(MAX_CRAWL_DEPTH)
    .nullable()
    .default(null)
    .meta({ description: 'Most links from the URL to a page of a crawl; 3 by default', 'x-loci-extension': true }),
  ingest: z
    .boolean()
    .default(true)
    .meta({ description: 'When false, only store; `POST /chunks/create` ingests later' }),
  reader: z.string().max(100).default('native').meta({ description: 'How files are read' }),
  on_duplicate: z
    .enum(['existing', 'keep'])
    .default('existing')
    .meta({ description: '`keep` takes bytes and names that the collection has once more', 'x-loci-extension': true }),
});
export type UploadForm = z.infer<typeof UploadForm>;

export const UploadItem = z.object({
  content_id: Id,
  name: z.string(),
  source: z.enum(['file', 'url', 'text']),
  type: z.string().nullable(),
  size: z.int().nullable(),
  content_hash: z.string().nullable(),
  status: z.enum(CONTENT_STATUSES),
  duplicate: z.boolean().meta({ description: 'True when the collection already had this content' }),
});
export type UploadItem = z.infer<typeof UploadItem>;

export const UploadError = z.object({
  name: z.string(),
  source: z.enum(['file', 'url', 'text']),
  code: z.string(),
  message: z.string(),
});
export type UploadError = z.infer<typeof UploadError>;

export const UploadResponse = z
  .object({
    upload_id: Id.nullable().meta({ description: 'Null when no item was accepted' }),
    collection_id: Id,
    content_type: z.enum(['file', 'url', 'text']),
    uploads: z.array(UploadItem),
    errors: z.array(UploadError),
    total_uploads: z.int(),
    successful_uploads: z.int(),
    failed_uploads: z.int(),
  })
  .meta({ id: 'UploadResponse' });
export type UploadResponse = z.infer<typeof UploadResponse>;

/** A crawl of an upload: how far it is. */
export const UploadCrawl = z
  .object({
    id: Id,
    url: z.string().meta({ description: 'Where it started, without the query' }),
    content_id: Id.meta({ description: 'The page it started from' }),
    status: z.enum(['running', 'paused', 'completed', 'cancelled', 'failed']),
    status_message: z.string().nullable(),
    workflow_id: z.string(),
    max_pages: z.int(),
    max_depth: z.int(),
    pages: z.object({
      waiting: z.int().meta({ description: 'Known and not yet asked for' }),
      fetched: z.int().meta({ description: 'New or changed: being ingested, or ingested' }),
      unchanged: z.int().meta({ description: 'As the collection has them' }),
      failed: z.int(),
      gone: z.int().meta({ description: 'In the collection, and no longer on the site' }),
      skipped: z.int().meta({ description: 'Not to be taken' }),
    }),
    reasons: z.record(z.string(), z.int()).meta({ description: 'Why pages failed or were skipped, and how many' }),
  })
  .meta({ id: 'UploadCrawl' });
export type UploadCrawl = z.infer<typeof UploadCrawl>;

/** `GET /uploads/{id}`: progress and manifest. */
export const UploadProgress = z
  .object({
    id: Id,
    collection_id: Id,
    workspace_id: Id,
    status: z.enum(UPLOAD_STATUSES),
    content_type: z.enum(['file', 'url', 'text']),
    workflow_id: z.string().nullable().meta({ description: 'Of the run, in the Temporal UI' }),
    total_uploads: z.int(),
    successful_uploads: z.int(),
    failed_uploads: z.int(),
    progress: z.object({
      total: z.int().meta({ description: 'Contents, and pages that a crawl will still ask for' }),
      settled: z.int().meta({ description: 'Contents with no work under way' }),
      by_status: z.record(z.string(), z.int()),
      chunks: z.int(),
      percent: z.number().min(0).max(100),
    }),
    crawls: z.array(UploadCrawl).meta({ description: 'One for each URL of an upload with `crawl=true`' }),
    errors: z.array(UploadError),
    contents: z.array(
      z.object({
        content_id: Id,
        name: z.string(),
        status: z.enum(CONTENT_STATUSES),
        status_message: z.string().nullable(),
        chunks: z.int(),
      }),
    ),
    ...NEXT_PAGE,
    created_at: IsoTime,
    updated_at: IsoTime,
  })
  .meta({ id: 'UploadProgress' });
export type UploadProgress = z.infer<typeof UploadProgress>;
