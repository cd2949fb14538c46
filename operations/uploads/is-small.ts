import type { NewContent } from '#store/contents/contents.ts';

/** Limits of an upload that is ingested at once instead of waiting for its turn among bulk work. */
const MAX_ITEMS = 20;
const MAX_BYTES = 256 * 1024;

/** Archives and e-mails become many contents, and text in images takes seconds to recognize. */
const SLOW_TYPES = /^(image\/|application\/(?:zip|x-tar|gzip)$|message\/rfc822$|application\/vnd\.ms-outlook$)/;

/** Whether somebody may wait for these items: few bytes that are stored already and quick to read. */
export function isSmall(contents: readonly NewContent[]): boolean {
  const bytes = contents.reduce((sum, { size }) => sum + (size ?? 0), 0);
  const isQuick = contents.every(
    ({ content_hash, type }) => content_hash !== null && type !== null && !SLOW_TYPES.test(type),
  );
  return contents.length <= MAX_ITEMS && bytes <= MAX_BYTES && isQuick;
}
