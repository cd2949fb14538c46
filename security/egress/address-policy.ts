import ipaddr from 'ipaddr.js';
import { AppError } from '#domain/app-error.ts';
import { parseIpAddress, parseIpRange, rangeContains, type IpAddress, type IpRange } from '#security/ip-range.ts';

/** Returns why an address is blocked, as words that follow "resolves to"; null when it is allowed. */
export type AddressPolicy = (address: string) => string | null;

/** IANA assigns global unicast IPv6 from this block only; addresses of any new block are refused until it is reviewed. */
const GLOBAL_IPV6 = rangeOf('2000::/3');
/** The well-known prefix of NAT64 (RFC 6052): an IPv6-only network reaches IPv4 through it, so the embedded address decides. */
const NAT64 = rangeOf('64:ff9b::/96');
/** A public address, but inside an Azure machine the platform answers it, with the credentials of the machine. */
const AZURE_PLATFORM = rangeOf('168.63.129.16');

const WORDS: Readonly<Record<string, string>> = {
  loopback: 'the server itself (a loopback address)',
  private: 'a private network',
  uniqueLocal: 'a private network',
  deprecatedSiteLocal: 'a private network',
  linkLocal: 'a link-local address (where cloud metadata is served)',
  carrierGradeNat: 'a carrier network (shared address space)',
  multicast: 'a multicast address',
  unspecified: 'an unspecified address',
};

/**
 * Creates the rule by which egress accepts or refuses an address: public unicast addresses and those in `allow` are accepted.
 * Tunnel addresses that contain another address (6to4, Teredo) are refused; mapped and translated ones are judged by the
 * address they contain.
 * @throws AppError `internal` that names every invalid range of `allow`.
 */
export function createAddressPolicy(allow: readonly string[]): AddressPolicy {
  const parsed = allow.map(parseIpRange);
  const problems = parsed.map(({ problem }) => problem).filter((problem) => problem !== null);
  if (problems.length > 0) throw new AppError('internal', `LOCI_EGRESS_ALLOW: ${problems.join('; ')}.`);
  const ranges = parsed.map(({ range }) => range).filter((range) => range !== null);
  return (text) => {
    const address = parseIpAddress(text);
    if (address === null) return 'an invalid address';
    if (ranges.some((range) => rangeContains(range, address))) return null;
    return refusal(address);
  };
}

function refusal(address: IpAddress): string | null {
  if (address instanceof ipaddr.IPv6 && rangeContains(NAT64, address)) {
    return refusal(new ipaddr.IPv4(address.toByteArray().slice(-4)));
  }
  const kind: string = address.range();
  const isPublic =
    kind === 'unicast' &&
    !rangeContains(AZURE_PLATFORM, address) &&
    (address.kind() === 'ipv4' || rangeContains(GLOBAL_IPV6, address));
  return isPublic ? null : (WORDS[kind] ?? 'an address that is not public');
}

function rangeOf(text: string): IpRange {
  const { range, problem } = parseIpRange(text);
  if (range === null) throw new Error(problem);
  return range;
}
