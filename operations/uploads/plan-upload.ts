import { v7 as uuidv7 } from 'uuid';
import type { SpooledBlob } from '#domain/blob-store.ts';
import { AppError, validationError, type ValidationIssue } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { externalIdIssues } from '#domain/contents/external-id.ts';
import { crawlUrl } from '#domain/crawls/crawl-url.ts';
import type { UploadForm, UploadItemFields } from '#domain/records/upload.ts';
import type { UploadError } from '#domain/records/uploads/upload-item.ts';
import { metadataIssues } from '#domain/filters/facets.ts';
import type { NewContent } from '#store/contents/contents.ts';
import { crawlFormIssues, type CrawlForm } from '#operations/crawls/crawl-form.ts';
import { bytesDedupeKey, urlDedupeKey } from '#operations/crawls/page-content.ts';
import { readHead } from '#operations/blobs/read-head.ts';
import { spooledFile } from '#operations/blobs/spooled-file.ts';
import { createPause } from '#operations/pause.ts';
import type { Services } from '#operations/services.ts';
import { itemIssues, keptIdIssues } from './item-issues.ts';

/** A received item of an upload, with its bytes in a file of this machine. `head`: the first 64 KiB, or null if they are not kept. */
export type ReceivedItem = (
  | { source: 'file' | 'text'; name: string; declaredType: string | null; blob: SpooledBlob; head: Uint8Array | null }
  | { source: 'url'; name: string; url: string }
) & {
  /** Position in the request, among those that are rejected too. */
  index: number;
  /** What the form says of this item alone. */
  own?: UploadItemFields | undefined;
};

/** An accepted item, as the content that it becomes. */
export type PlannedItem = {
  /** Position in the request. */
  index: number;
  content: NewContent;
  blob: SpooledBlob | null;
  /** Items with the same key are the same content; null when duplicates are allowed. */
  dedupeKey: string | null;
};

/**
 * Validates the form and plans a content for each item. Items that are rejected are returned in `errors`; the others continue.
 * @throws AppError `validation_failed` with every problem of the form.
 */
export async function planUpload(
  services: Services,
  received: { form: UploadForm; items: readonly ReceivedItem[]; errors: readonly UploadError[]; caller: Caller },
): Promise<{ planned: PlannedItem[]; errors: UploadError[] }> {
  const { form, items } = received;
  const counts = {
    items: items.length + received.errors.length,
    urls: [...items, ...received.errors].filter(({ source }) => source === 'url').length,
  };
  const issues = uploadFormIssues(services, form, counts);
  if (issues.length > 0) throw validationError(issues);
  const planned: PlannedItem[] = [];
  const errors: UploadError[] = [];
  const pause = createPause();
  for (const item of items) {
    await pause();
    try {
      planned.push(await planItem(services, item, { form, caller: received.caller, single: counts.items === 1 }));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { name, external_id } = namesOf(item);
      const { index, source } = item;
      errors.push({ index, name, external_id, source, code: error.code, message: error.message });
    }
  }
  return { planned, errors };
}

/** Returns by which name and id an item is shown and recognized: its own, else those of its file. */
export function namesOf({ name, own }: Pick<ReceivedItem, 'name' | 'own'>): {
  name: string;
  external_id: string | null;
} {
  return { name: own?.name ?? name, external_id: own?.external_id ?? null };
}

/** Returns whether a form sends metadata, which replaces that of existing contents; `{}` counts as none. */
export function sendsMetadata(form: UploadForm): boolean {
  return Object.keys(form.metadata).length > 0;
}

/** Returns the problems of a form that its schema does not cover. Fields that fail the schema are absent from `form`. */
export function uploadFormIssues(
  { readers: { names }, limits }: Pick<Services, 'readers' | 'limits'>,
  form: CrawlForm & { [Name in 'metadata' | 'reader' | 'items']?: UploadForm[Name] | undefined },
  counts: { items: number; urls: number },
): ValidationIssue[] {
  const issues = metadataIssues(form.metadata ?? {}, ['body', 'metadata']);
  if (form.reader !== undefined && !names.includes(form.reader)) {
    issues.push({
      loc: ['body', 'reader'],
      msg: `is not a known reader; use one of ${names.join(', ')}`,
      type: 'unknown_reader',
    });
  }
  issues.push(...crawlFormIssues(form, { urls: counts.urls, maxPages: limits.maxCrawlPages }));
  issues.push(...itemIssues(form, counts), ...keptIdIssues(form));
  const externalIssues = externalIdIssues(form.metadata ?? {}, ['body', 'metadata']);
  issues.push(...externalIssues);
  if (externalIssues.length === 0 && form.metadata?.['external_id'] !== undefined && counts.items > 1) {
    issues.push({
      loc: ['body', 'metadata', 'external_id'],
      msg: 'names one content; send one item with it, or an external_id for each in items',
      type: 'too_many_items',
    });
  }
  return issues;
}

type ItemContext = { form: UploadForm; caller: Caller; single: boolean };

async function planItem(services: Services, item: ReceivedItem, context: ItemContext): Promise<PlannedItem> {
  const { form, single, caller } = context;
  const name = item.own?.name ?? (single && form.label !== null ? form.label : item.name);
  const metadata: Record<string, unknown> = {
    ...form.metadata,
    ...(item.own?.external_id === undefined ? {} : { external_id: item.own.external_id }),
    ...(form.user_id === null ? {} : { user_id: form.user_id }),
    ...(form.label === null || single ? {} : { label: form.label }),
  };
  const shared = {
    id: uuidv7(),
    name,
    description: form.description,
    metadata,
    external_id: typeof metadata['external_id'] === 'string' ? metadata['external_id'] : null,
    source: item.source,
    created_by: caller.principal,
  };
  const uploadedBy = form.user_id === null ? {} : { uploaded_by: form.user_id };
  if (item.source === 'url') {
    if (form.ingest) services.readers.requireAvailable(form.reader);
    // A crawl knows a page by its address without fragment and tracking parameters.
    const url = form.crawl ? (crawlUrl(item.url)?.url ?? item.url) : item.url;
    const file_data = { url, ...uploadedBy };
    const content = { ...shared, type: null, size: null, content_hash: null, url, file_data };
    return {
      index: item.index,
      content,
      blob: null,
      dedupeKey: form.on_duplicate === 'keep' ? null : urlDedupeKey(url),
    };
  }
  const { sha256, sizeBytes } = item.blob;
  const head = item.blob.bytes ?? item.head ?? (await readHead(await item.blob.path()));
  const type = await services.readers.detectType(head, {
    name: item.name,
    declaredType: item.declaredType,
    sizeBytes,
    checkOut: () => spooledFile(item.blob),
  });
  // A file that is only stored may be of any type. Reading it later reports what is wrong with it.
  if (form.ingest) requireReadable(services, { reader: form.reader, type, name: item.name });
  const mismatch = type === null ? {} : services.readers.mismatchNotes(item.name, type);
  const content = {
    ...shared,
    type: type ?? 'application/octet-stream',
    size: sizeBytes,
    content_hash: sha256,
    url: null,
    file_data: { original_name: item.name, ...mismatch, ...uploadedBy },
  };
  return {
    index: item.index,
    content,
    blob: item.blob,
    dedupeKey: form.on_duplicate === 'keep' ? null : bytesDedupeKey(sha256, name),
  };
}

function requireReadable(services: Services, file: { reader: string; type: string | null; name: string }): void {
  if (file.type === null) {
    throw new AppError(
      'unsupported_type',
      'The file is of no known document type. Convert it to a supported type, or send it with ingest=false to only store it.',
    );
  }
  services.readers.requireReadable(file.reader, file.type);
}
