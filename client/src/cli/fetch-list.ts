import type { LociClient } from '../create-loci-client.ts';
import type { ItemOf, ListOptions, ListPath } from '../paginate.ts';
import { parseInteger } from './option-parsers.ts';
import type { Shell } from './shell.ts';

const DEFAULT_LIMIT = 100;
const PAGE_ITEMS = 1000;

/** The `--limit` option of all list commands. */
export const LIMIT_OPTION = [
  '-n, --limit <number>',
  'maximum number of entries; 0 for all',
  parseInteger(0, Number.MAX_SAFE_INTEGER),
  DEFAULT_LIMIT,
] as const;

/** `pageItems`: the largest page of this list, where that is less than usual. */
type ListAsked = { loci: LociClient; shell: Shell; limit: number; pageItems?: number };

/** Returns the first `limit` entries of a list, loaded in pages; all entries for 0. Prints a note if there are more. */
export async function fetchList<Path extends ListPath>(
  { loci, shell, limit, pageItems = PAGE_ITEMS }: ListAsked,
  path: Path,
  options: ListOptions<Path>,
): Promise<ItemOf<Path>[]> {
  const items: ItemOf<Path>[] = [];
  const maxItems = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  // Every list with a cursor also accepts a limit.
  const query = { ...options.query, limit: Math.min(pageItems, maxItems) } as unknown as NonNullable<
    typeof options.query
  >;
  for await (const item of loci.paginate(path, { ...options, query, signal: shell.signal })) {
    if (items.length >= maxItems) {
      shell.printNote(`Only the first ${limit} are shown; use --limit for more.`);
      break;
    }
    items.push(item);
  }
  return items;
}
