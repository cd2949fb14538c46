import type { Readable } from 'node:stream';
import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { decodeTimeCursor } from '#domain/cursor.ts';
import type { Content } from '#domain/records/content.ts';
import { paginate } from '#operations/paging.ts';
import type { Services } from '#operations/services.ts';

/** A content in reach. Reading it counts as an access. @throws AppError `not_found`. */
export async function getContent(services: Services, caller: Caller, id: string): Promise<Content> {
  const content = await services.stores.contents.find(caller.scope, id);
  if (!content) throw contentNotFound();
  services.accessCounter.record(caller.scope, id);
  return content;
}

/** The same for absent, foreign, deleted and unreachable contents. */
export function contentNotFound(): AppError {
  return new AppError('not_found', 'There is no such content, or this key does not reach it.');
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

/** A page of the contents in reach, oldest first. @throws AppError `validation_failed` for a foreign cursor. */
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
    limit: query.limit,
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

/** The original bytes of a content. @throws AppError `not_found`; `conflict` for a URL that is not downloaded yet. */
export async function openContentFile(services: Services, caller: Caller, contentId: string): Promise<ContentFile> {
  const file = await services.stores.contents.findFile(caller.scope, contentId);
  if (!file) throw contentNotFound();
  if (file.content_hash === null) {
    throw new AppError('conflict', 'The content has no file yet: its URL was not downloaded.');
  }
  const stream = await services.blobs.open(caller.scope.workspaceId, file.content_hash);
  services.accessCounter.record(caller.scope, contentId);
  return { stream, mediaType: file.type ?? 'application/octet-stream', name: file.name, sizeBytes: file.size ?? 0 };
}

/**
 * The text that was read from a content and that its chunks are of: UTF-8, Markdown; their offsets count its UTF-16 code units.
 * @throws AppError `not_found`; `conflict` as long as the content was not read.
 */
export async function openContentText(services: Services, caller: Caller, contentId: string): Promise<Readable> {
  const found = await services.stores.contents.findText(caller.scope, contentId);
  if (!found) throw contentNotFound();
  if (found.text_sha256 === null) {
    throw new AppError(
      'conflict',
      'The content has no text yet: wait until its status is ready, or see why it is not.',
    );
  }
  const stream = await services.blobs.open(caller.scope.workspaceId, found.text_sha256);
  services.accessCounter.record(caller.scope, contentId);
  return stream;
}
