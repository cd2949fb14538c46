import type { Readable } from 'node:stream';
import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { decodeTimeCursor } from '#domain/cursor.ts';
import type { Content } from '#domain/records/content.ts';
import { paginate } from '#operations/paginate.ts';
import type { Services } from '#operations/services.ts';

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
  limit: number;
  cursor?: string | undefined;
};

type ContentPage = { data: Content[]; total_count: number; next_cursor: string | null; has_more: boolean };

/** Returns a page of the contents in scope, oldest first. @throws AppError `validation_failed` for a cursor of another list. */
export async function listContents(services: Services, caller: Caller, query: ListContentsQuery): Promise<ContentPage> {
  const { collection_id: collectionId, status, search, linked_to: linkedTo } = query;
  const filter = { collectionId, status, search, linkedTo };
  const binding = { list: 'contents', filters: filter };
  const after = decodeTimeCursor(binding, query.cursor);
  const { contents } = services.stores;
  const [rows, totalCount] = await Promise.all([
    contents.list(caller.scope, filter, { after, limit: query.limit }),
    contents.count(caller.scope, filter),
  ]);
  const { page, next } = paginate(rows, {
    binding,
    positionOf: (row) => [row.createdUs, row.content.id],
  });
  return {
    data: page.map((row) => row.content),
    total_count: totalCount,
    ...next,
  };
}

type ContentFile = { stream: Readable; mediaType: string; name: string; sizeBytes: number };

/** Opens the original file of a content. @throws AppError `not_found`; `conflict` while its URL is not downloaded. */
export async function openContentFile(services: Services, caller: Caller, contentId: string): Promise<ContentFile> {
  const file = await services.stores.contents.findFile(caller.scope, contentId);
  if (!file) throw contentNotFound();
  if (file.content_hash === null) {
    throw new AppError('conflict', 'The content has no file yet, because its URL has not been downloaded.');
  }
  const stream = await services.blobs.open(caller.scope.workspaceId, file.content_hash);
  services.accessCounter.record(caller.scope, contentId);
  return { stream, mediaType: file.type ?? 'application/octet-stream', name: file.name, sizeBytes: file.size ?? 0 };
}

/**
 * Opens the text that was extracted from a content, as UTF-8 Markdown. Chunk offsets count UTF-16 code units of this text.
 * @throws AppError `not_found`; `conflict` while the content has no text.
 */
export async function openContentText(services: Services, caller: Caller, contentId: string): Promise<Readable> {
  const found = await services.stores.contents.findText(caller.scope, contentId);
  if (!found) throw contentNotFound();
  if (found.text_sha256 === null) {
    throw new AppError(
      'conflict',
      'The content has no text yet. Wait until its status is ready; if it failed, see its status_message.',
    );
  }
  const stream = await services.blobs.open(caller.scope.workspaceId, found.text_sha256);
  services.accessCounter.record(caller.scope, contentId);
  return stream;
}
