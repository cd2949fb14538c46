import { isIP, isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** A block of addresses in CIDR form. IPv4-mapped IPv6 is stored as IPv4, as in `parseIpAddress`. */
export type IpRange = { network: IpAddress; prefixLength: number };

/** `problem` is a sentence for the user. */
export type ParsedIpRange = { range: IpRange; problem: null } | { range: null; problem: string };

const IPV4_BITS = 32;
const IPV6_BITS = 128;
const MAPPED_PREFIX_BITS = 96;

/**
 * Parses an address in its usual notation; returns null for anything else (also for `0x7f.1` or `2130706433`). An IPv4-mapped
 * IPv6 address, as dual-stack sockets report IPv4 peers, becomes IPv4. A zone (`%eth0`) is dropped.
 */
export function parseIpAddress(text: string): IpAddress | null {
  const withoutZone = text.replace(/%.*$/, '');
  return isIP(withoutZone) === 0 ? null : ipaddr.process(plainNotation(withoutZone));
}

/** Parses an address (a range of one) or a CIDR range such as `10.0.0.0/8` or `2001:db8::/32`. */
export function parseIpRange(text: string): ParsedIpRange {
  const [addressText = '', prefixText, ...more] = text.trim().split('/');
  if (isIP(addressText) === 0 || addressText.includes('%') || more.length > 0) {
    return {
      range: null,
      problem: `'${text}' is not an IP address or a CIDR range such as 203.0.113.0/24 or 2001:db8::/32`,
    };
  }
  const written = ipaddr.parse(plainNotation(addressText));
  const bits = isIPv4(addressText) ? IPV4_BITS : IPV6_BITS;
  const prefixLength = prefixText === undefined ? bits : Number(prefixText);
  if (!/^\d{1,3}$/.test(prefixText ?? String(bits)) || prefixLength > bits) {
    return { range: null, problem: `'${text}' needs a prefix length from 0 to ${bits} after the slash` };
  }
  const network = networkOf(written, prefixLength);
  if (network !== written.toString()) {
    return { range: null, problem: `'${text}' has bits set beyond its prefix; write ${network}/${prefixLength}` };
  }
  return { range: withoutMapping(written, prefixLength), problem: null };
}

/** True when the range contains the address. IPv4 and IPv6 never match each other. */
export function rangeContains(range: IpRange, address: IpAddress): boolean {
  return range.network.kind() === address.kind() && address.match(range.network, range.prefixLength);
}

/**
 * Rewrites IPv6 without a dotted tail: ipaddr.js parses the compatible `::192.0.2.1` as the mapped `::ffff:192.0.2.1`, which is
 * a different address.
 */
function plainNotation(address: string): string {
  return isIPv6(address) && address.includes('.') ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}

function networkOf(address: IpAddress, prefixLength: number): string {
  const kind = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return kind.networkAddressFromCIDR(`${address.toString()}/${prefixLength}`).toString();
}

function withoutMapping(address: IpAddress, prefixLength: number): IpRange {
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && prefixLength >= MAPPED_PREFIX_BITS) {
    return { network: address.toIPv4Address(), prefixLength: prefixLength - MAPPED_PREFIX_BITS };
  }
  return { network: address, prefixLength };
}
