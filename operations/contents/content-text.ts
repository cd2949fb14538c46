import { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { AppError } from '#domain/app-error.ts';
import type { ByteRange } from '#domain/blob-store.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { Services } from '#operations/services.ts';
import { contentNotFound } from './contents.ts';

/** A character of two code units of which a part has one. */
const HALF_CHARACTERS = /^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g;

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

/** A part of a text, in UTF-16 code units as the offsets of chunks. Null: to its end. */
export type TextPart = { offset: number; limit: number | null };

/** Opens the text of a content, or a part of it, and counts the access. @throws AppError like `findContentText` */
export async function openContentText(
  services: Services,
  caller: Caller,
  { contentId, offset, limit }: TextPart & { contentId: string },
): Promise<Readable> {
  const text = await findContentText(services, caller, contentId);
  const stream = await text.open();
  services.accessCounter.record(caller.scope, contentId);
  if (offset === 0 && limit === null) return stream;
  return Readable.from(partOf(stream, { offset, limit }), { objectMode: false });
}

/** Reads no further than the part goes, and holds no more than what it is given at once. */
async function* partOf(stream: Readable, { offset, limit }: TextPart): AsyncGenerator<Buffer> {
  const end = limit === null ? Infinity : offset + limit;
  const decoder = new StringDecoder('utf8');
  let at = 0;
  for await (const bytes of stream as AsyncIterable<Buffer>) {
    const text = decoder.write(bytes);
    const part = text.slice(Math.max(0, offset - at), Math.max(0, end - at));
    at += text.length;
    if (part !== '') yield Buffer.from(part.replaceAll(HALF_CHARACTERS, ''));
    if (at >= end) return;
  }
}
