import type { Readable } from 'node:stream';
import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { contentNotFound } from './get-content.ts';
import type { Services } from '#operations/services.ts';

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
  services.accesses.note(caller.scope, contentId);
  return stream;
}
