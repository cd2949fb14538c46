import type { ErrorCode } from '#domain/app-error.ts';

/** Why an entry is rejected; code and message are those of its content. */
export type EntryRefusal = { code: ErrorCode; message: string };

/** A file inside an archive, or attached to an e-mail message. */
export type ArchiveEntry = {
  /** Its sanitized path: relative, with slashes, without `..`; see `sanitizePath`. */
  path: string;
  /** The name as written in the archive, which identifies the entry. */
  rawName: string;
  /** The declared size; `open` checks the actual size against it. */
  sizeBytes: number;
  refusal: EntryRefusal | null;
  /** Streams the bytes. @throws AppError `unreadable` at the end, when size or checksum are not those declared. */
  open(): AsyncIterable<Uint8Array>;
};

const MAX_PATH_LENGTH = 1_000;
const DEFAULT_NAME = 'unnamed';

/** A path that is safe to show and store: no root, no drive, no parent steps, no unprintable characters. */
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

/** The path of the second, third … entry of the same name: `notes (2).txt`. */
export function numberedPath(path: string, occurrence: number): string {
  if (occurrence === 1) return path;
  const [, stem = path, extension = ''] = /^(.*?[^/])(\.[^./]{1,16})?$/.exec(path) ?? [];
  return `${stem} (${occurrence})${extension}`;
}
