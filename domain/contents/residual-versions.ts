/** Versions from one to the other, both included. */
export type VersionRange = { from: number; to: number };

/**
 * The versions from 1 to `highest` that are not among `living`, as spans in order: what may be removed is named, never "all
 * but", so that what is written meanwhile is never among it.
 */
export function residualVersions(living: readonly number[], highest: number): VersionRange[] {
  const ends = [0, ...living.toSorted((a, b) => a - b), highest + 1];
  return ends.slice(1).flatMap((next, before) => {
    const span = { from: (ends[before] ?? 0) + 1, to: Math.min(next - 1, highest) };
    return span.from <= span.to ? [span] : [];
  });
}
