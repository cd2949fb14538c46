/** Versions from `from` to `to`, both inclusive. */
export type VersionRange = { from: number; to: number };

/**
 * Returns the versions from 1 to `highest` that are not in `live`, as ranges in ascending order. Removals list these ranges
 * instead of excluding the live versions, so that they never remove a version that is written meanwhile.
 */
export function residualVersions(live: readonly number[], highest: number): VersionRange[] {
  const boundaries = [0, ...live.toSorted((a, b) => a - b), highest + 1];
  return boundaries.slice(1).flatMap((next, index) => {
    const range = { from: (boundaries[index] ?? 0) + 1, to: Math.min(next - 1, highest) };
    return range.from <= range.to ? [range] : [];
  });
}
