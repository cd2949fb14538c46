import { SEARCH_WINDOW } from '#domain/records/search-options.ts';

/** The first page of a list of up to 50 results, and the hit that says whether it goes on. */
const FIRST_WINDOW = 51;

/**
 * Ranks as many hits as a page needs that ends before `needed`: those of a small ranking, and behind them what a large one has
 * besides, so that pages neither overlap nor skip although the order of a ranking depends on its size.
 */
export async function rankInSteps<Ranked extends { row: { id: string } }>(
  needed: number,
  rank: (limit: number) => Promise<Ranked[]>,
): Promise<Ranked[]> {
  const first = await rank(FIRST_WINDOW);
  if (needed <= FIRST_WINDOW || first.length < FIRST_WINDOW) return first;
  const known = new Set(first.map(({ row }) => row.id));
  const others = (await rank(SEARCH_WINDOW)).filter(({ row }) => !known.has(row.id));
  return [...first, ...others].slice(0, SEARCH_WINDOW);
}
