import { hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { AppError } from '#domain/app-error.ts';
import { archiveItems } from './archive-items.ts';
import { emailAttachments } from './email-attachments.ts';
import { EMAIL, MSG } from '#providers/readers/shared/media-types.ts';
import { numberedPath, type ArchiveEntry, type EntryRefusal } from '#providers/readers/shared/archive-entry.ts';
import { entryFile, type UnpackedEntry, type UnpackPayload, type UnpackValue } from './unpack-payload.ts';

/**
 * Extracts the next entries of an archive or a message to files, up to the limits of the task. An entry that is
 * unreadable or over a limit is reported with a refusal; the others continue. @throws AppError when the archive as a
 * whole cannot be read.
 */
export async function unpack(path: string, outputPrefix: string, task: UnpackPayload): Promise<UnpackValue> {
  const entries: UnpackedEntry[] = [];
  const seen = new Map<string, number>();
  let index = -1;
  let bytes = 0;
  for await (const entry of entriesOf(path, task)) {
    index += 1;
    const name = hash('sha256', entry.rawName);
    const occurrence = (seen.get(name) ?? 0) + 1;
    seen.set(name, occurrence);
    if (index < task.from) continue;
    const isFull = entries.length > 0 && bytes + entry.sizeBytes > task.taskLimits.bytes;
    if (isFull || entries.length === task.taskLimits.entries) return { entries, next: index };
    const left = task.budgetBytes - bytes;
    const refusal =
      task.refusal ??
      entry.refusal ??
      limitRefusal(entry, task, left) ??
      (await writeEntry(entry, entryFile(outputPrefix, index)));
    if (refusal === null) bytes += entry.sizeBytes;
    entries.push({
      index,
      key: hash('sha256', `${name}/${occurrence}`),
      path: numberedPath(entry.path, occurrence),
      sizeBytes: entry.sizeBytes,
      refusal,
    });
  }
  return { entries, next: null };
}

async function* entriesOf(
  path: string,
  { mediaType, name = '', maxTextBytes }: UnpackPayload,
): AsyncGenerator<ArchiveEntry> {
  if (mediaType === EMAIL || mediaType === MSG) yield* emailAttachments({ path, mediaType }, maxTextBytes);
  else for await (const item of archiveItems({ path, mediaType, name })) if (item !== 'link') yield item;
}

function limitRefusal({ sizeBytes }: ArchiveEntry, task: UnpackPayload, leftBytes: number): EntryRefusal | null {
  if (sizeBytes === 0) return { code: 'empty_file', message: 'The file is empty.' };
  const { maxEntryBytes, totalBytes } = task;
  if (sizeBytes > maxEntryBytes) {
    const message = `The file unpacks to ${mebibytes(sizeBytes)}; the limit is ${mebibytes(maxEntryBytes)}. Split it, or ask the operator to raise LOCI_MAX_FILE_BYTES.`;
    return { code: 'file_too_large', message };
  }
  if (sizeBytes <= leftBytes) return null;
  const message = `With this file of ${mebibytes(sizeBytes)} the archive would unpack to more than ${mebibytes(totalBytes)}, the limit for an archive of its size. Upload the file itself, or ask the operator to raise LOCI_ARCHIVE_MAX_BYTES or LOCI_ARCHIVE_MAX_RATIO.`;
  return { code: 'archive_limit', message };
}

/** Null when the bytes were written to the file. */
async function writeEntry(entry: ArchiveEntry, file: string): Promise<EntryRefusal | null> {
  try {
    await pipeline(entry.open(), createWriteStream(file, { flags: 'wx' }));
    return null;
  } catch (error) {
    await rm(file, { force: true });
    if (error instanceof AppError) return { code: error.code, message: error.message };
    throw error;
  }
}

function mebibytes(bytes: number): string {
  const size = bytes / 1024 / 1024;
  return `${size < 10 ? Math.ceil(size * 10) / 10 : Math.ceil(size)} MiB`;
}
