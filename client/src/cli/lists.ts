import type { LociClient } from '../create-loci-client.ts';
import type { ItemOf, ListOptions, ListPath } from '../paginate.ts';
import { integer } from './option-values.ts';
import type { Shell } from './shell.ts';

const DEFAULT_LIMIT = 100;
const PAGE_ITEMS = 1000;

/** The option of every command that lists. */
export const LIMIT_OPTION = [
  '-n, --limit <number>',
  'at most so many; 0 for all',
  integer(0, Number.MAX_SAFE_INTEGER),
  DEFAULT_LIMIT,
] as const;

/** The first items of a list, as many as `limit` says, in pages of the service; 0 for all. */
export async function firstOf<Path extends ListPath>(
  { loci, shell, limit }: { loci: LociClient; shell: Shell; limit: number },
  path: Path,
  options: ListOptions<Path>,
): Promise<ItemOf<Path>[]> {
  const items: ItemOf<Path>[] = [];
  const wanted = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  // Every list that takes a cursor takes a limit too.
  const query = { ...options.query, limit: Math.min(PAGE_ITEMS, wanted) } as unknown as NonNullable<
    typeof options.query
  >;
  for await (const item of loci.paginate(path, { ...options, query, signal: shell.signal })) {
    if (items.length >= wanted) {
      shell.remark(`The first ${limit}; --limit shows more.`);
      break;
    }
    items.push(item);
  }
  return items;
}
