import type { OwnedContent } from '#store/contents/contents.ts';

/** The reader note that holds the number of entries, by the media types whose files contain others. */
const COUNT_NOTES: Readonly<Record<string, string>> = {
  'application/zip': 'entry_count',
  'application/x-tar': 'entry_count',
  'application/gzip': 'entry_count',
  'message/rfc822': 'attachment_count',
  'application/vnd.ms-outlook': 'attachment_count',
};

/** Whether the file of a content is an archive, which is nothing but its entries. */
export function isArchive({ type }: { type: string | null }): boolean {
  return COUNT_NOTES[type ?? ''] === 'entry_count';
}

/** Whether the file of a content is an archive or e-mail, which may contain entries. */
export function mayHoldEntries({ type }: { type: string | null }): boolean {
  return COUNT_NOTES[type ?? ''] !== undefined;
}

/** Number of entries in the file of a content; null when it is neither an archive nor an e-mail. */
export function entryCountOf(
  content: OwnedContent,
  notes: Readonly<Record<string, string | number | boolean>>,
): number | null {
  const name = COUNT_NOTES[content.type ?? ''];
  if (name === undefined) return null;
  const count = notes[name];
  // Without a count from the reader, assume that there are entries: unpacking finds out.
  return typeof count === 'number' ? count : 1;
}
