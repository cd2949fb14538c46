import { z } from 'zod';
import { AppError, validationError } from '#domain/app-error.ts';
import { decodePosition, encodeCursor } from '#domain/cursor.ts';

/** A place in a text: in UTF-8 bytes, by which it is read, and in UTF-16 code units, by which chunks name places. */
export type TextPlace = { byte: number; character: number };

const BINDING = { list: 'content-text', filters: {} };
const Place = z.int().min(0);
const Position = z.tuple([Place, Place, z.string()]);
const MAX_BYTES_OF_CODE_UNIT = 3;
/** Enough to tell two texts apart. */
const HASH_CHARACTERS = 16;

/** A cursor is valid for one text: the next version of a content has others. */
export function encodeTextCursor(sha256: string, { byte, character }: TextPlace): string {
  return encodeCursor(BINDING, [byte, character, sha256.slice(0, HASH_CHARACTERS)]);
}

/** @throws AppError `validation_failed` for what is no cursor; `conflict` for one of another text */
export function decodeTextCursor(sha256: string, cursor: string): TextPlace {
  const [byte, character, hash] = decodePosition(BINDING, cursor, Position) ?? [0, 0, ''];
  if (hash !== sha256.slice(0, HASH_CHARACTERS)) {
    const message =
      'The cursor belongs to another text: the content has got a new one, or it is of another content. Start again without it.';
    throw new AppError('conflict', message);
  }
  if (character > byte || byte > MAX_BYTES_OF_CODE_UNIT * character) throw foreignPlace();
  return { byte, character };
}

/** The error for a cursor that this service did not make. */
export function foreignPlace(): AppError {
  const msg = 'points to no place in this text; send next_cursor as it was returned, or an offset';
  return validationError([{ loc: ['query', 'cursor'], msg, type: 'cursor_invalid' }]);
}
