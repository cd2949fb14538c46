import type { Schemas } from '../api/schemas.ts';
import type { UploadEntry } from './upload-entry.ts';

export type EntryOutcome = Pick<UploadEntry, 'state' | 'contentId' | 'status' | 'message' | 'uploadId'>;

/**
 * Finds what became of each entry of a request. Accepted items are in the order of the entries; refused ones are listed apart, by
 * name, addresses without what may be secret in them.
 */
export function matchEntries(
  batch: readonly UploadEntry[],
  { uploads, errors, upload_id: uploadId }: Schemas['UploadResponse'],
): EntryOutcome[] {
  const accepted = [...uploads];
  const refused = [...errors];
  return batch.map((entry): EntryOutcome => {
    const [item] = accepted;
    const refusal = refused.findIndex(({ name }) => isShownAs(entry, name));
    if (item !== undefined && (refusal === -1 || isSame(item.name, entry.name))) {
      accepted.shift();
      const { content_id: contentId, status, duplicate } = item;
      return { state: duplicate ? 'duplicate' : 'accepted', contentId, status, message: null, uploadId };
    }
    const [error] = refused.splice(Math.max(0, refusal), 1);
    return { state: 'failed', contentId: null, status: null, message: error?.message ?? null, uploadId: null };
  });
}

function isShownAs({ name, source }: UploadEntry, shown: string): boolean {
  if (source.kind === 'file') return isSame(shown, name) || isSame(shown, source.file.name);
  return shown === name || name.startsWith(shown.replace(/…$/, ''));
}

/** The service composes the accents of file names, which macOS gives decomposed. */
function isSame(one: string, other: string): boolean {
  return one.normalize('NFC') === other.normalize('NFC');
}
