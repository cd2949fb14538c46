import { parseIpAddress, parseIpRange, rangeContains } from './ip-range.ts';

/** What is wrong with an entry of an IP allow list, as a sentence for its author; null when it can be used. */
export function ipAllowListProblem(entry: string): string | null {
  return parseIpRange(entry).problem;
}

/**
 * True when a caller from `address` may use a key with this list of addresses and CIDR ranges. An empty list allows all. An
 * entry that cannot be read and an address that cannot be read match nothing.
 */
export function isIpAllowed(allowList: readonly string[], address: string | undefined): boolean {
  if (allowList.length === 0) return true;
  const caller = address === undefined ? null : parseIpAddress(address);
  if (caller === null) return false;
  return allowList.some((entry) => {
    const { range } = parseIpRange(entry);
    return range !== null && rangeContains(range, caller);
  });
}

/** True when every address that `list` allows is allowed by `outer` too. Both hold entries without problems. */
export function isIpListWithin(list: readonly string[], outer: readonly string[]): boolean {
  const outerRanges = outer.flatMap((entry) => parseIpRange(entry).range ?? []);
  return list.every((entry) => {
    const { range } = parseIpRange(entry);
    return (
      range !== null &&
      outerRanges.some((wide) => wide.prefixLength <= range.prefixLength && rangeContains(wide, range.network))
    );
  });
}
