import type { Readable } from 'node:stream';
import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { contentNotFound } from './get-content.ts';
import type { Services } from '#operations/services.ts';

export type ContentFile = { stream: Readable; mediaType: string; name: string; sizeBytes: number };

/** The original bytes of a content. @throws AppError `not_found`; `conflict` for a URL that is not downloaded yet. */
export async function openContentFile(services: Services, caller: Caller, contentId: string): Promise<ContentFile> {
  const file = await services.stores.contents.findFile(caller.scope, contentId);
  if (!file) throw contentNotFound();
  if (file.content_hash === null) {
    throw new AppError('conflict', 'The content has no file yet: its URL was not downloaded.');
  }
  const stream = await services.blobs.open(caller.scope.workspaceId, file.content_hash);
  services.accesses.note(caller.scope, contentId);
  return { stream, mediaType: file.type ?? 'application/octet-stream', name: file.name, sizeBytes: file.size ?? 0 };
}
