import type { Readable } from 'node:stream';
import { AppError } from '#domain/app-error.ts';
import type { ByteRange } from '#domain/blob-store.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { Services } from '#operations/services.ts';
import { contentNotFound } from './contents.ts';

/** The text that was extracted from a content, as UTF-8 Markdown. Chunk offsets count UTF-16 code units of this text. */
export type ContentText = {
  sha256: string;
  /** Opens all of it, or those of its bytes in a range that exist. @throws AppError `blob_missing` */
  open(range?: ByteRange): Promise<Readable>;
};

/**
 * Finds the text of a content, without counting an access.
 * @throws AppError `not_found`; `conflict` while the content has no text.
 */
export async function findContentText(services: Services, caller: Caller, contentId: string): Promise<ContentText> {
  const found = await services.stores.contents.findText(caller.scope, contentId);
  if (!found) throw contentNotFound();
  const { text_sha256: sha256 } = found;
  if (sha256 === null) {
    throw new AppError(
      'conflict',
      'The content has no text yet. Wait until its status is ready; if it failed, see its status_message.',
    );
  }
  return { sha256, open: (range) => services.blobs.open(caller.scope.workspaceId, sha256, range) };
}

/** Opens the text of a content and counts the access. @throws AppError like `findContentText` */
export async function openContentText(services: Services, caller: Caller, contentId: string): Promise<Readable> {
  const text = await findContentText(services, caller, contentId);
  const stream = await text.open();
  services.accessCounter.record(caller.scope, contentId);
  return stream;
}
