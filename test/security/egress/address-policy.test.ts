import test from 'ava';
import * as fc from 'fast-check';
import { AppError } from '#domain/app-error.ts';
import { createAddressPolicy } from '#security/egress/address-policy.ts';

const policy = createAddressPolicy([]);

test('accepts public addresses', (t) => {
  for (const address of [
    '1.1.1.1',
    '93.184.216.34',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.255.255',
    '100.128.0.1',
    '2606:4700::1111',
  ]) {
    t.is(policy(address), null, address);
  }
});

test('refuses non-public addresses in every notation', (t) => {
  const refused = [
    '127.0.0.1',
    '127.255.255.254',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',

    '100.64.0.1',
    '100.100.100.200',
    '0.0.0.0',
    '0.1.2.3',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '192.0.0.192',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '198.18.0.1',
    '192.88.99.1',
    '168.63.129.16',

    '::',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd00:ec2::254',
    'fec0::1',
    'ff02::1',
    '2001:db8::1',
    '100::1',
    '3fff::1',
    '4000::1',
    '5f00::1',
    'e000::1',
    // IPv4 inside IPv6: mapped, compatible, translated, 6to4, Teredo, NAT64.

    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:169.254.169.254',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1',
    '2002:7f00:1::',
    '2002:0808:0808::',
    '2001:0:7f00:1::',
    '64:ff9b::7f00:1',
    '64:ff9b::169.254.169.254',
    '64:ff9b:1::a00:1',
    '',
    'localhost',
    '127.1',
    '0x7f000001',
    '2130706433',
  ];
  for (const address of refused) t.is(typeof policy(address), 'string', address);
});

test('treats a public IPv4 address the same when it is mapped or behind NAT64', (t) => {
  t.is(policy('::ffff:93.184.216.34'), null);
  t.is(policy('64:ff9b::93.184.216.34'), null);
});

test('decides an IPv6 address that contains an IPv4 address by the IPv4 address', (t) => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      t.is(policy(`::ffff:${address}`), policy(address));
      t.is(policy(`64:ff9b::${address}`), policy(address));
      t.not(policy(`::${address}`), null);
    }),
  );
});

test('accepts a private range that the operator allows, and no other', (t) => {
  const allowing = createAddressPolicy(['10.1.0.0/16', '::1']);
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '::1', '1.1.1.1']) t.is(allowing(address), null, address);
  for (const address of ['10.2.0.1', '127.0.0.1', '::2']) t.is(typeof allowing(address), 'string', address);
});

test('names every invalid range', (t) => {
  const error = t.throws(() => createAddressPolicy(['10.0.0.0/8', 'intranet', '10.0.0.1/8']), { instanceOf: AppError });
  t.regex(error.message, /LOCI_EGRESS_ALLOW: 'intranet' is not .*; '10.0.0.1\/8' has bits set/);
});
