import type { UploadEntry } from './upload-entry.ts';

/** The browser sends nothing when one of the files is gone. Returns the ids of the entries whose files these are. */
export async function unreadableFiles(batch: readonly UploadEntry[]): Promise<Set<number>> {
  const checked = await Promise.all(
    batch.map(async ({ id, source }) => (source.kind === 'url' || (await isReadable(source.file)) ? [] : [id])),
  );
  return new Set(checked.flat());
}

/** A file that is gone has no bytes, of which the browser does not try to read a part. */
async function isReadable(file: File): Promise<boolean> {
  const part = file.size === 0 ? file : file.slice(0, 1);
  return part.arrayBuffer().then(
    () => true,
    () => false,
  );
}
