import type { ErrorCode } from '#domain/app-error.ts';

/** Why a part is not taken, in the words that its content shows. */
export type EntryRefusal = { code: ErrorCode; message: string };

/** A file inside an archive or an e-mail message. */
export type ArchiveEntry = {
  /** Where it lies inside: relative, with slashes, without `..`; see `harmlessPath`. */
  path: string;
  /** Its name as it is written there, which tells it from the others. */
  rawName: string;
  /** As it says of itself; what it comes to is checked against that. */
  sizeBytes: number;
  refusal: EntryRefusal | null;
  /** The bytes. @throws AppError `unreadable` at their end, when they are not what they should be. */
  open(): AsyncIterable<Uint8Array>;
};

const MAX_PATH_LENGTH = 1_000;
const DEFAULT_NAME = 'unnamed';

/** A path that can be shown and stored, and leads nowhere: no root, no drive, no step upwards, nothing that is not printed. */
export function sanitizePath(rawName: string): string {
  const steps = rawName
    .normalize('NFC')
    .replace(/\p{Cc}|\p{Bidi_Control}|\uFEFF/gu, '')
    .replaceAll('\\', '/')
    .replace(/^[A-Za-z]:/, '')
    .split('/')
    .map((step) => step.trim())
    .filter((step) => step !== '' && step !== '.' && step !== '..');
  const path = steps.join('/').slice(-MAX_PATH_LENGTH).toWellFormed();
  return path === '' ? DEFAULT_NAME : path;
}

/** The path of the second, third … part of one name: `notes (2).txt`. */
export function numberedPath(path: string, occurrence: number): string {
  if (occurrence === 1) return path;
  const [, stem = path, extension = ''] = /^(.*?[^/])(\.[^./]{1,16})?$/.exec(path) ?? [];
  return `${stem} (${occurrence})${extension}`;
}
