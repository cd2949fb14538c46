import type { Readable } from 'node:stream';
import { z } from 'zod';
import { AppError } from '#domain/app-error.ts';
import type { DownloadHeaders } from '#domain/blob-store.ts';
import type { Caller } from '#domain/access/caller.ts';
import { decodePosition, decodeTimeCursor, encodeCursor, type CursorBinding } from '#domain/cursor.ts';
import type { Filter } from '#domain/filters/filter.ts';
import type { Content } from '#domain/records/content.ts';
import type { ContentFilter, ListedContent } from '#store/contents/content-lists.ts';
import type { BoundedCount } from '#store/page.ts';
import { paginate, type NextPage } from '#operations/paginate.ts';
import { readListPage } from '#operations/read-list-page.ts';
import type { Services } from '#operations/services.ts';
import { filterContents } from './filter-contents.ts';

/** Returns a content in scope and counts the access. @throws AppError `not_found`. */
export async function getContent(services: Services, caller: Caller, id: string): Promise<Content> {
  const content = await services.stores.contents.find(caller.scope, id);
  if (!content) throw contentNotFound();
  services.accessCounter.record(caller.scope, id);
  return content;
}

/** The error for contents that do not exist, are deleted, or are outside the scope; it does not tell which. */
export function contentNotFound(): AppError {
  return new AppError('not_found', 'The content does not exist, or your credentials do not give access to it.');
}

type ListContentsQuery = {
  collection_id?: string | undefined;
  status?: string | undefined;
  search?: string | undefined;
  linked_to?: string | undefined;
  filters?: Filter | null | undefined;
  limit: number;
  cursor?: string | undefined;
  /** Aborts when the client leaves, so that nothing more is read for it. */
  signal?: AbortSignal | undefined;
};

type ContentPage = {
  data: Content[];
  total_count: number;
  total_is_exact: boolean;
  next_cursor: string | null;
  has_more: boolean;
};

/** Returns a page of the contents in scope, oldest first. @throws AppError `validation_failed` for a cursor of another list. */
export async function listContents(services: Services, caller: Caller, query: ListContentsQuery): Promise<ContentPage> {
  const { collection_id: collectionId, status, search, linked_to: linkedTo } = query;
  const filter = { collectionId, status, search, linkedTo };
  const binding = { list: 'contents', filters: { ...filter, ...(query.filters ? { filters: query.filters } : {}) } };
  if (query.filters) return listFiltered(services, caller, { query, filter, filters: query.filters, binding });
  const after = decodeTimeCursor(binding, query.cursor);
  const [rows, total] = await readListPage(services.lists, { isFirst: after === null }, ({ contents }) =>
    Promise.all([
      contents.list(caller.scope, filter, { after, limit: query.limit }),
      contents.count(caller.scope, filter),
    ]),
  );
  const { page, next } = paginate(rows, { binding, positionOf: (row) => [row.createdUs, row.content.id] });
  return contentPage(page, total, next);
}

type FilteredList = {
  query: ListContentsQuery;
  filter: ContentFilter;
  filters: Filter;
  binding: CursorBinding;
};

/** The cursor carries what the first page has counted. That of an earlier release does not, and then it is counted anew. */
const FilteredPosition = z.union([
  z.tuple([z.int(), z.uuid(), z.int(), z.literal([0, 1])]),
  z.tuple([z.int(), z.uuid()]),
]);

async function listFiltered(services: Services, caller: Caller, asked: FilteredList): Promise<ContentPage> {
  const { query, filter, filters, binding } = asked;
  const [createdUs, id, count, isExact] = decodePosition(binding, query.cursor, FilteredPosition) ?? [];
  const after = createdUs === undefined || id === undefined ? null : { createdUs, id };
  const known = count === undefined ? null : { count, isExact: isExact === 1 };
  const list = { ...filter, after, limit: query.limit, total: known };
  const { contents, next, total } = await filterContents(services, caller, {
    list,
    filter: filters,
    signal: query.signal,
  });
  const position = next && [next.createdUs, next.id, total.count, total.isExact ? 1 : 0];
  const nextCursor = position && encodeCursor(binding, position);
  return contentPage(contents, total, { next_cursor: nextCursor, has_more: nextCursor !== null });
}

function contentPage(rows: readonly ListedContent[], total: BoundedCount, next: NextPage): ContentPage {
  return {
    data: rows.map((row) => row.content),
    total_count: total.count,
    total_is_exact: total.isExact,
    ...next,
  };
}

type WantedFile = { contentId: string; mayRedirect: boolean; dispositionOf: (name: string) => string };

/** A file to send, or where the client gets it from. */
type ContentFile = { url: string } | { stream: Readable; headers: DownloadHeaders; sizeBytes: number };

/**
 * Opens the original file of a content. `mayRedirect`: the client can get it from the bucket itself. `dispositionOf`: how a browser
 * treats a file of this name.
 * @throws AppError `not_found`; `conflict` while its URL is not downloaded.
 */
export async function openContentFile(
  services: Services,
  caller: Caller,
  { contentId, mayRedirect, dispositionOf }: WantedFile,
): Promise<ContentFile> {
  const file = await services.stores.contents.findFile(caller.scope, contentId);
  if (!file) throw contentNotFound();
  if (file.content_hash === null) {
    throw new AppError('conflict', 'The content has no file yet, because its URL has not been downloaded.');
  }
  const { workspaceId } = caller.scope;
  const headers = { mediaType: file.type ?? 'application/octet-stream', disposition: dispositionOf(file.name) };
  const url = mayRedirect ? await services.blobs.downloadUrl(workspaceId, file.content_hash, headers) : null;
  const found =
    url === null
      ? { stream: await services.blobs.open(workspaceId, file.content_hash), headers, sizeBytes: file.size ?? 0 }
      : { url };
  services.accessCounter.record(caller.scope, contentId);
  return found;
}
