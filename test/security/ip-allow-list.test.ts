import test from 'ava';
import * as fc from 'fast-check';
import { ipAllowListProblem, isIpAllowed, rangesOf } from '#security/ip-allow-list.ts';

test('allows every caller with an empty list', (t) => {
  t.true(isIpAllowed([], '203.0.113.9'));
  t.true(isIpAllowed([], undefined));
});

test('matches addresses and ranges at both edges', (t) => {
  const list = ['203.0.113.8/30', '198.51.100.7', '2001:db8:1::/48', '::1'];
  for (const address of ['203.0.113.8', '203.0.113.11', '198.51.100.7', '2001:db8:1::', '2001:db8:1:ffff::1', '::1']) {
    t.true(isIpAllowed(list, address), address);
  }
  for (const address of ['203.0.113.7', '203.0.113.12', '198.51.100.8', '2001:db8:2::', '::2', '', 'x']) {
    t.false(isIpAllowed(list, address), address);
  }
});

test('recognises IPv4-mapped callers and entries', (t) => {
  t.true(isIpAllowed(['203.0.113.0/24'], '::ffff:203.0.113.5'));
  t.true(isIpAllowed(['203.0.113.0/24'], '::ffff:cb00:7105'));
  t.true(isIpAllowed(['::ffff:203.0.113.0/120'], '203.0.113.5'));
  t.false(isIpAllowed(['203.0.113.0/24'], '::ffff:198.51.100.5'));
  t.true(isIpAllowed(['fe80::/10'], 'fe80::1%eth0'));
  t.false(isIpAllowed(['203.0.113.0/24'], '::203.0.113.5'));
  t.false(isIpAllowed(['0.0.0.0/0'], '::1'));
  t.false(isIpAllowed(['::/0'], '203.0.113.5'));
});

test('matches nothing for an invalid entry', (t) => {
  t.false(isIpAllowed(['everybody', '10.0.0.0/33'], '10.0.0.1'));
});

test('ranges of all addresses and of one address', (t) => {
  t.true(isIpAllowed(['0.0.0.0/0'], '203.0.113.5'));
  t.true(isIpAllowed(['0.0.0.0/0'], '::ffff:203.0.113.5'));
  t.true(isIpAllowed(['::/0'], '2001:db8::1'));
  t.true(isIpAllowed(['2001:db8::1/128', '203.0.113.5/32'], '2001:db8:0:0::1'));
  t.false(isIpAllowed(['2001:db8::1/128', '203.0.113.5/32'], '2001:db8::2'));
  t.true(isIpAllowed(['::192.0.2.1/128'], '::c000:201'), 'IPv6 in the compatible notation');
});

test('the same entries are parsed once, and a list with others is another list', (t) => {
  const entries = ['203.0.113.0/24', '2001:db8::/32', 'invalid'];
  const ranges = rangesOf(entries);
  t.is(ranges.length, 2);
  t.is(rangesOf([...entries]), ranges, 'an equal list, as each request reads it from the database');
  t.not(rangesOf([...entries, '198.51.100.7']), ranges);
  // One entry that is no address is not taken for two that are.
  t.true(isIpAllowed(['203.0.113.5', '203.0.113.6'], '203.0.113.6'));
  t.false(isIpAllowed(['203.0.113.5\n203.0.113.6'], '203.0.113.6'));
  t.false(isIpAllowed(['203.0.113.5","203.0.113.6'], '203.0.113.6'));
});

test('states precisely what is wrong with an entry', (t) => {
  for (const entry of ['10.0.0.0/8', '10.1.2.3', '::/0', '0.0.0.0/0', '2001:db8::1', ' 10.0.0.1 ']) {
    t.is(ipAllowListProblem(entry), null);
  }
  t.is(ipAllowListProblem('10.0.0.1/8'), "'10.0.0.1/8' has bits set beyond its prefix; write 10.0.0.0/8");
  t.is(ipAllowListProblem('10.0.0.0/33'), "'10.0.0.0/33' needs a prefix length from 0 to 32 after the slash");
  t.is(ipAllowListProblem('2001:db8::/129'), "'2001:db8::/129' needs a prefix length from 0 to 128 after the slash");
  for (const entry of ['10.0.0.0/', '10.0.0.0/-1', '10.0.0.0/8.0', '10.0.0.0/255.0.0.0']) {
    t.regex(ipAllowListProblem(entry) ?? '', /needs a prefix length/, entry);
  }
  for (const entry of [
    '',
    'localhost',
    '10.0.0',
    '0x7f.0.0.1',
    '010.0.0.1',
    '2130706433',
    '10.0.0.0/8/8',
    'fe80::1%eth0',
  ]) {
    t.regex(ipAllowListProblem(entry) ?? '', /is not an IP address or a CIDR range/, entry);
  }
});

test('places every address in each of its own ranges and in none next to them', (t) => {
  fc.assert(
    fc.property(fc.ipV4(), fc.integer({ min: 1, max: 32 }), (address, prefixLength) => {
      const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
      const blockSize = 2 ** (32 - prefixLength);
      const network = Math.floor(number / blockSize) * blockSize;
      const neighbour = (network + blockSize) % 2 ** 32;
      t.true(isIpAllowed([`${dotted(network)}/${prefixLength}`], address));
      t.false(isIpAllowed([`${dotted(neighbour)}/${prefixLength}`], address));
    }),
  );
});

function dotted(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
}
