import { LRUCache } from 'lru-cache';
import { parseIpAddress, parseIpRange, rangeContains, type IpRange } from './ip-range.ts';

/** Of all lists together: some 50,000 ranges. */
const MAX_PARSED_CHARACTERS = 2_000_000;

/** Parsed lists by their entries: parsing takes much longer than the comparison with a caller. */
const parsedLists = new LRUCache<string, readonly IpRange[]>({
  maxSize: MAX_PARSED_CHARACTERS,
  sizeCalculation: (_ranges, text) => text.length,
});

/** Returns what is wrong with an entry of an IP allow list, as a sentence for the user; null when it is valid. */
export function ipAllowListProblem(entry: string): string | null {
  return parseIpRange(entry).problem;
}

/** Returns the ranges of a list without its invalid entries. The same entries are parsed once, while they are in use. */
export function rangesOf(allowList: readonly string[]): readonly IpRange[] {
  const text = JSON.stringify(allowList);
  const known = parsedLists.get(text);
  if (known !== undefined) return known;
  const ranges = allowList.flatMap((entry) => parseIpRange(entry).range ?? []);
  parsedLists.set(text, ranges);
  return ranges;
}

/**
 * True when a caller from `address` may use a key with this list of addresses and CIDR ranges. An empty list allows all
 * addresses. Invalid entries and invalid addresses match nothing.
 */
export function isIpAllowed(allowList: readonly string[], address: string | undefined): boolean {
  if (allowList.length === 0) return true;
  const caller = address === undefined ? null : parseIpAddress(address);
  return caller !== null && rangesOf(allowList).some((range) => rangeContains(range, caller));
}

/** True when `outer` allows every address that `list` allows. Both contain valid entries only. */
export function isIpListWithin(list: readonly string[], outer: readonly string[]): boolean {
  const outerRanges = rangesOf(outer);
  return list.every((entry) => {
    const { range } = parseIpRange(entry);
    return (
      range !== null &&
      outerRanges.some((wide) => wide.prefixLength <= range.prefixLength && rangeContains(wide, range.network))
    );
  });
}
