import { z } from 'zod';
import { NEXT_PAGE } from './cursor-list.ts';
import { UploadError, UploadItem } from './uploads/upload-item.ts';
import { CONTENT_STATUSES, UPLOAD_STATUSES } from '#domain/statuses.ts';
import { MAX_EXTERNAL_ID_CHARACTERS } from '#domain/contents/external-id.ts';
import { CreatedAt, FailureCode, Id, JsonObject, textField, UpdatedAt, WorkflowId, WorkspaceId } from './fields.ts';

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
  collection_id: Id.meta({
    description: 'Id of the target collection.',
    examples: ['0198c0de-0000-7000-8000-000000000001'],
  }),
  content: z
    .string()
    .optional()
    .meta({
      description: 'Text to store as one content. Leave it empty to upload only files or URLs.',
      examples: ['A rotated token survives an outage of the database.'],
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
    description:
      'JSON object, sent as text, that is attached to every content of the upload. It replaces the metadata of contents that ' +
      'exist; without it, or with `{}`, theirs is kept.',
  }),
  user_id: textField(255, 1).nullable().default(null).meta({
    description:
      'User on whose behalf the contents are uploaded. It is added to their metadata, in place of a `user_id` there.',
  }),
  label: textField(255, 1).nullable().default(null).meta({
    description: 'Name of the content when the upload has only one; otherwise added to the metadata, as `user_id` is.',
  }),
  description: textField(10_000)
    .nullable()
    .default(null)
    .meta({ description: 'Description of every content of the upload, at most 10,000 characters.' }),
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
        '`existing` returns the content of the collection that has the same bytes and name, or the same URL, unless that ' +
        'content has an `external_id` or was stored with `keep`; ' +
        '`keep` stores it again, and cannot be combined with an `external_id`.',
      'x-loci-extension': true,
    }),
});
export type UploadForm = z.infer<typeof UploadForm>;

export const UploadResponse = z
  .object({
    upload_id: Id.nullable().meta({ description: 'Id of the upload; null when no item was accepted.' }),
    collection_id: Id.meta({ description: 'Collection that the items were uploaded to.' }),
    content_type: z.enum(['file', 'url', 'text']).meta({ description: '`content_type` of the request.' }),
    uploads: z
      .array(UploadItem)
      .meta({ description: 'Items that were accepted: files and texts in the order of the form, then URLs.' }),
    errors: z.array(UploadError).meta({ description: 'Items that were rejected.' }),
    total_uploads: z.int().meta({ description: 'Number of items that were sent.' }),
    successful_uploads: z.int().meta({ description: 'Number of items that were accepted.' }),
    failed_uploads: z.int().meta({ description: 'Number of items that were rejected.' }),
  })
  .meta({ id: 'UploadResponse' });
export type UploadResponse = z.infer<typeof UploadResponse>;

/** A crawl of an upload and its progress. */
export const UploadCrawl = z
  .object({
    id: Id.meta({ description: 'Id of the crawl.' }),
    url: z.string().meta({ description: 'Start URL, without its query.' }),
    content_id: Id.meta({ description: 'Content of the start page.' }),
    status: z
      .enum(['running', 'paused', 'completed', 'cancelled', 'failed'])
      .meta({ description: 'Progress of the crawl.' }),
    status_message: z
      .string()
      .nullable()
      .meta({ description: 'Why the crawl failed, or ended before its bounds; null when there is nothing to say.' }),
    workflow_id: WorkflowId,
    max_pages: z.int().meta({ description: 'Largest number of pages to store.' }),
    max_depth: z.int().meta({ description: 'Largest number of links between the start URL and a page.' }),
    pages: z
      .object({
        waiting: z.int().meta({ description: 'Pages that are known and not fetched yet.' }),
        fetched: z.int().meta({ description: 'New or changed pages, which are being ingested or have been.' }),
        unchanged: z.int().meta({ description: 'Pages that the collection already has in the same version.' }),
        failed: z.int().meta({ description: 'Pages that could not be fetched.' }),
        gone: z.int().meta({ description: 'Pages that are in the collection and no longer on the site.' }),
        skipped: z.int().meta({ description: 'Pages that the crawl does not store.' }),
      })
      .meta({ description: 'Number of pages by what became of them.' }),
    reasons: z
      .record(z.string(), z.int())
      .meta({ description: 'Reasons why pages failed or were skipped, with the number of pages.' }),
  })
  .meta({ id: 'UploadCrawl' });
export type UploadCrawl = z.infer<typeof UploadCrawl>;

/** Response of `GET /uploads/{upload_id}`: progress and contents of an upload. */
export const UploadProgress = z
  .object({
    id: Id.meta({ description: 'Id of the upload.' }),
    collection_id: Id.meta({ description: 'Collection that the items were uploaded to.' }),
    workspace_id: WorkspaceId,
    status: z
      .enum(UPLOAD_STATUSES)
      .meta({ description: 'Status of the upload, derived from its contents and crawls.' }),
    content_type: z.enum(['file', 'url', 'text']).meta({ description: '`content_type` of the request.' }),
    workflow_id: WorkflowId.nullable().meta({
      description: 'Id of the workflow, for the Temporal UI; null when nothing was accepted.',
    }),
    total_uploads: z.int().meta({ description: 'Number of items that were sent.' }),
    successful_uploads: z.int().meta({ description: 'Number of items that were accepted.' }),
    failed_uploads: z.int().meta({ description: 'Number of items that were rejected.' }),
    progress: z
      .object({
        total: z.int().meta({
          description:
            'Number of contents, plus pages that crawls have not fetched yet. Contents that are being deleted do not count.',
        }),
        settled: z.int().meta({ description: 'Number of contents that are not being processed.' }),
        by_status: z
          .record(z.string(), z.int())
          .meta({ description: 'Number of contents by their status; statuses without contents are left out.' }),
        chunks: z.int().meta({ description: 'Chunks that searches can find.' }),
        percent: z
          .number()
          .min(0)
          .max(100)
          .meta({ description: 'Share of contents that need no more work, from 0 to 100.' }),
      })
      .meta({ description: 'How far the ingestion is.' }),
    crawls: z.array(UploadCrawl).meta({ description: 'One crawl for each URL of an upload with `crawl=true`.' }),
    errors: z.array(UploadError).meta({ description: 'Items that were rejected.' }),
    contents: z
      .array(
        z.object({
          content_id: Id.meta({ description: 'Content that holds the item.' }),
          name: z.string().meta({ description: 'File name, URL or label.' }),
          status: z.enum(CONTENT_STATUSES).meta({ description: 'Status of the content in this collection.' }),
          error_code: FailureCode.nullable().default(null).meta({
            description: 'Why the ingestion failed, for programs; null unless `status` is `failed`.',
            'x-loci-extension': true,
          }),
          status_message: z.string().nullable().meta({
            description:
              'What the content waits for, or why it failed and what to do; null when there is nothing to say.',
          }),
          chunks: z.int().meta({ description: 'Number of its chunks.' }),
        }),
      )
      .meta({ description: 'One page of the contents of the upload.' }),
    ...NEXT_PAGE,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'UploadProgress' });
export type UploadProgress = z.infer<typeof UploadProgress>;
