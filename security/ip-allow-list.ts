import { parseIpAddress, parseIpRange, rangeContains } from './ip-range.ts';

/** Returns what is wrong with an entry of an IP allow list, as a sentence for the user; null when it is valid. */
export function ipAllowListProblem(entry: string): string | null {
  return parseIpRange(entry).problem;
}

/**
 * True when a caller from `address` may use a key with this list of addresses and CIDR ranges. An empty list allows all
 * addresses. Invalid entries and invalid addresses match nothing.
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

/** True when `outer` allows every address that `list` allows. Both contain valid entries only. */
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
