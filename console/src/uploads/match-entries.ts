import type { Schemas } from '../api/schemas.ts';
import type { UploadEntry } from './upload-entry.ts';

export type EntryOutcome = Pick<UploadEntry, 'state' | 'contentId' | 'status' | 'message' | 'uploadId'>;

/** Finds what became of each entry of a request, by their positions in it: names are shown without what may be secret in them. */
export function matchEntries(
  batch: readonly UploadEntry[],
  { uploads, errors, upload_id: uploadId }: Pick<Schemas['UploadResponse'], 'uploads' | 'errors' | 'upload_id'>,
): EntryOutcome[] {
  const accepted = new Map(uploads.map((item) => [item.index, item]));
  const refused = new Map(errors.map((error) => [error.index, error]));
  return batch.map((_entry, index): EntryOutcome => {
    const item = accepted.get(index);
    if (item === undefined) {
      const message = refused.get(index)?.message ?? null;
      return { state: 'failed', contentId: null, status: null, message, uploadId: null };
    }
    const { content_id: contentId, status, duplicate } = item;
    return { state: duplicate ? 'duplicate' : 'accepted', contentId, status, message: null, uploadId };
  });
}
