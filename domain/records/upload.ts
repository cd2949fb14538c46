import { z } from 'zod';
import { NEXT_PAGE } from './cursor-list.ts';
import { CONTENT_STATUSES, UPLOAD_STATUSES } from '#domain/statuses.ts';
import { MAX_EXTERNAL_ID_CHARACTERS } from '#domain/contents/external-id.ts';
import { Id, IsoTime, JsonObject, textField } from './fields.ts';

const MAX_CRAWL_DEPTH = 50;
export const DEFAULT_CRAWL = { maxPages: 100, maxDepth: 3 };

/** What one item of an upload says of itself. */
export const UploadItemFields = z.strictObject({
  external_id: textField(MAX_EXTERNAL_ID_CHARACTERS, 1)
    .optional()
    .meta({
      description:
        'Id of the content in its source system, such as its path. Unique in the collection: a content that has it is replaced. ' +
        'The same as `external_id` in `metadata`, for one item of several.',
      'x-loci-extension': true,
    }),
  name: textField(1024, 1).optional().meta({
    description: 'Name of the content instead of the file name. It may be a path.',
    'x-loci-extension': true,
  }),
});
export type UploadItemFields = z.infer<typeof UploadItemFields>;

/** The text fields of `POST /upload`; only the collection is required. Files are sent as further form parts. */
export const UploadForm = z.strictObject({
  collection_id: Id.meta({ description: 'Target collection.' }),
  content: z
    .string()
    .optional()
    .meta({
      description: 'Text to store as one content. Leave it empty to upload only files or URLs.',
      examples: ['Goods can be returned within 30 days of delivery.'],
    }),
  urls: z.array(z.string()).default([]).meta({
    description: 'URLs to download, each of at most 4096 characters. Repeat the field, or send one JSON array.',
  }),
  items: z
    .array(UploadItemFields)
    .default([])
    .meta({
      description:
        'One object for each item, in their order: files and texts as in the form, then URLs. Send one JSON array, or repeat ' +
        'the field; `{}` for an item without fields of its own.',
      'x-loci-extension': true,
    }),
  content_type: z
    .enum(['file', 'url', 'text'])
    .default('file')
    .meta({ description: 'Type of the main input. It is a hint only: all inputs are accepted.' }),
  metadata: JsonObject.default({}).meta({
    description: 'JSON object, sent as text, that is attached to every content of the upload.',
  }),
  user_id: textField(255, 1).nullable().default(null),
  label: textField(255, 1)
    .nullable()
    .default(null)
    .meta({ description: 'Name of the content when the upload has only one; otherwise stored in the metadata.' }),
  description: textField(10_000).nullable().default(null),
  crawl: z.boolean().default(false).meta({ description: 'Whether to crawl the URLs, following their links.' }),
  max_pages: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .meta({ description: 'Maximum number of pages of a crawl; 100 by default.', 'x-loci-extension': true }),
  max_depth: z.int().min(0).max(MAX_CRAWL_DEPTH).nullable().default(null).meta({
    description: 'Maximum number of links between the start URL and a page of a crawl; 3 by default.',
    'x-loci-extension': true,
  }),
  ingest: z
    .boolean()
    .default(true)
    .meta({ description: 'When false, contents are only stored. Ingest them later with `POST /chunks/create`.' }),
  reader: z.string().max(100).default('native').meta({ description: 'Reader that extracts the text of files.' }),
  on_duplicate: z
    .enum(['existing', 'keep'])
    .default('existing')
    .meta({
      description:
        '`existing` returns the content of the collection that has the same bytes and name, or the same URL; ' +
        '`keep` stores it again.',
      'x-loci-extension': true,
    }),
});
export type UploadForm = z.infer<typeof UploadForm>;

/** Absent in responses that were stored before it existed. */
const ExternalId = z.string().nullable().default(null).meta({
  description: 'Id of the item in its source system, as it was sent.',
  'x-loci-extension': true,
});

export const UploadItem = z.object({
  content_id: Id,
  name: z.string(),
  external_id: ExternalId,
  source: z.enum(['file', 'url', 'text']),
  type: z.string().nullable(),
  size: z.int().nullable(),
  content_hash: z.string().nullable(),
  status: z.enum(CONTENT_STATUSES),
  duplicate: z.boolean().meta({ description: 'True when the collection already had this content.' }),
  replaced: z.boolean().default(false).meta({
    description: 'True when the content with the same `external_id` gets other bytes, or another name, by this upload.',
    'x-loci-extension': true,
  }),
});
export type UploadItem = z.infer<typeof UploadItem>;

export const UploadError = z.object({
  name: z.string(),
  external_id: ExternalId,
  source: z.enum(['file', 'url', 'text']),
  code: z.string(),
  message: z.string(),
});
export type UploadError = z.infer<typeof UploadError>;

export const UploadResponse = z
  .object({
    upload_id: Id.nullable().meta({ description: 'Id of the upload; null when no item was accepted.' }),
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

/** A crawl of an upload and its progress. */
export const UploadCrawl = z
  .object({
    id: Id,
    url: z.string().meta({ description: 'Start URL, without its query.' }),
    content_id: Id.meta({ description: 'Content of the start page.' }),
    status: z.enum(['running', 'paused', 'completed', 'cancelled', 'failed']),
    status_message: z.string().nullable(),
    workflow_id: z.string(),
    max_pages: z.int(),
    max_depth: z.int(),
    pages: z.object({
      waiting: z.int().meta({ description: 'Pages that are known and not fetched yet.' }),
      fetched: z.int().meta({ description: 'New or changed pages, which are being ingested or have been.' }),
      unchanged: z.int().meta({ description: 'Pages that the collection already has in the same version.' }),
      failed: z.int(),
      gone: z.int().meta({ description: 'Pages that are in the collection and no longer on the site.' }),
      skipped: z.int().meta({ description: 'Pages that the crawl does not store.' }),
    }),
    reasons: z
      .record(z.string(), z.int())
      .meta({ description: 'Reasons why pages failed or were skipped, with the number of pages.' }),
  })
  .meta({ id: 'UploadCrawl' });
export type UploadCrawl = z.infer<typeof UploadCrawl>;

/** Response of `GET /uploads/{upload_id}`: progress and contents of an upload. */
export const UploadProgress = z
  .object({
    id: Id,
    collection_id: Id,
    workspace_id: Id,
    status: z.enum(UPLOAD_STATUSES),
    content_type: z.enum(['file', 'url', 'text']),
    workflow_id: z.string().nullable().meta({ description: 'Id of the workflow, for the Temporal UI.' }),
    total_uploads: z.int(),
    successful_uploads: z.int(),
    failed_uploads: z.int(),
    progress: z.object({
      total: z.int().meta({ description: 'Number of contents, plus pages that crawls have not fetched yet.' }),
      settled: z.int().meta({ description: 'Number of contents that are not being processed.' }),
      by_status: z.record(z.string(), z.int()),
      chunks: z.int(),
      percent: z.number().min(0).max(100),
    }),
    crawls: z.array(UploadCrawl).meta({ description: 'One crawl for each URL of an upload with `crawl=true`.' }),
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
