import type { ListReads } from '#store/list-reads.ts';
import type { Page } from '#store/page.ts';
import type { Stores } from '#store/stores.ts';

/**
 * Reads a page, oldest first, and what is read beside it, such as a count. A page after another one that is the last is read again
 * from the primary, because the page before may have been read there, and may have promised what the replica does not have yet.
 */
export async function readListPage<Result extends readonly [Page<unknown>, ...unknown[]]>(
  lists: ListReads,
  { isFirst }: { isFirst: boolean },
  read: (stores: Stores) => Promise<Result>,
): Promise<Result> {
  const result = await lists.read(read);
  const mayBeBehind = !isFirst && !result[0].hasMore && lists.current !== lists;
  return mayBeBehind ? lists.current.read(read) : result;
}
