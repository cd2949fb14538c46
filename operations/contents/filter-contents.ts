import type { Caller } from '#domain/access/caller.ts';
import type { TimePosition } from '#domain/cursor.ts';
import { toFilterRecord } from '#domain/filters/filter-record.ts';
import type { Filter } from '#domain/filters/filter.ts';
import { matchesFilter } from '#domain/filters/matches-filter.ts';
import type { ContentFilter, ListedContent } from '#store/contents/content-lists.ts';
import type { BoundedCount } from '#store/page.ts';
import { createPause } from '#operations/pause.ts';
import { readListPage } from '#operations/read-list-page.ts';
import type { Services } from '#operations/services.ts';

/** Contents that one request looks at, whatever the filter. */
const MAX_SCANNED = 5_000;
/** Statements of one request: pages of large metadata end at a byte budget. */
const MAX_STATEMENTS = 20;
const FIRST_PAGE = 25;
const MAX_PAGE = 500;

/** `total`: what the first page has counted; null on the first page. */
type ContentList = ContentFilter & { after: TimePosition | null; limit: number; total: BoundedCount | null };
type FilteredPage = { contents: ListedContent[]; next: TimePosition | null; total: BoundedCount };

/**
 * Returns the contents of a list that match a filter: the page after a position, which ends when it is full or when `MAX_SCANNED`
 * contents were looked at, and the number of matches among the first `MAX_SCANNED` contents of the list, which only the first
 * page counts.
 */
export async function filterContents(
  services: Services,
  caller: Caller,
  {
    list: { limit, total, ...list },
    filter,
    signal,
  }: { list: ContentList; filter: Filter; signal?: AbortSignal | undefined },
): Promise<FilteredPage> {
  const pause = createPause(signal);
  const contents: ListedContent[] = [];
  let count = 0;
  let last: TimePosition | null = null;
  /** Where the next page begins, once this one is full. */
  let next: TimePosition | null | undefined;
  for await (const scanned of scanContents(services, caller, list)) {
    if (scanned === 'too many') return { contents, next: next ?? last, total: total ?? { count, isExact: false } };
    await pause();
    const { row, isLast } = scanned;
    last = { createdUs: row.createdUs, id: row.content.id };
    if (!matchesFilter(filter, recordOf(row))) continue;
    count += 1;
    if (contents.length < limit) contents.push(row);
    if (contents.length === limit && next === undefined) next = isLast ? null : last;
    if (next !== undefined && total !== null) return { contents, next, total };
  }
  return { contents, next: next ?? null, total: total ?? { count, isExact: true } };
}

/** Yields the contents of a list after a position, and `too many` when those were looked at that one request may. */
async function* scanContents(
  services: Services,
  caller: Caller,
  { after, ...list }: ContentFilter & { after: TimePosition | null },
): AsyncGenerator<{ row: ListedContent; isLast: boolean } | 'too many'> {
  let limit = FIRST_PAGE;
  for (let statement = 1, scanned = 0; ; statement += 1) {
    const page = { after, limit };
    const [{ rows, hasMore }] = await readListPage(
      services.lists,
      { isFirst: after === null },
      async ({ contents }) => [await contents.list(caller.scope, list, page)],
    );
    for (const [index, row] of rows.entries()) yield { row, isLast: !hasMore && index === rows.length - 1 };
    scanned += rows.length;
    if (!hasMore) return;
    if (scanned >= MAX_SCANNED || statement >= MAX_STATEMENTS) {
      yield 'too many';
      return;
    }
    const last = rows.at(-1);
    after = last ? { createdUs: last.createdUs, id: last.content.id } : after;
    // A statement measures as many rows as it may return, and returns few of them if they are large.
    limit = Math.min(MAX_PAGE, MAX_SCANNED - scanned, rows.length < limit ? rows.length : limit * 2);
  }
}

function recordOf({ content, source, url }: ListedContent) {
  const { id, name, type, external_id, content_hash, size, created_at, metadata } = content;
  return toFilterRecord(
    { content_id: id, name, type, external_id, source, url, content_hash, size, created_at, metadata },
    {},
  );
}
