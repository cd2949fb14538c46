import test from 'ava';
import { clientAddress } from '#api/http/request/client-address.ts';
import { ApiKey } from '#domain/records/api-key.ts';
import { parseIpRange } from '#security/ip-range.ts';
import { insertOwnKey, openOwnApi } from '#test/support/harness/own-api.ts';

const PROXIES = ['10.0.0.0/8', '2001:db8:ffff::/48'].flatMap((entry) => parseIpRange(entry).range ?? []);

test('a header counts only where a trusted proxy sends it', (t) => {
  t.is(clientAddress('192.0.2.1', '203.0.113.7', PROXIES), '192.0.2.1');
  t.is(clientAddress('10.0.0.1', '203.0.113.7', []), '10.0.0.1', 'no proxy is trusted by default');
  t.is(clientAddress('', '203.0.113.7', PROXIES), '', 'a connection that is already closed');
  t.is(clientAddress('10.0.0.1', '203.0.113.7', PROXIES), '203.0.113.7');
  t.is(clientAddress('::ffff:10.0.0.1', '203.0.113.7', PROXIES), '203.0.113.7', 'as sockets for IPv6 and IPv4 name it');
  t.is(clientAddress('10.0.0.1', '', PROXIES), '10.0.0.1');
});

test('of a chain of proxies, the client is the right-most address that is not trusted', (t) => {
  t.is(clientAddress('10.0.0.1', '203.0.113.7, 10.0.0.2', PROXIES), '203.0.113.7');
  t.is(clientAddress('10.0.0.1', '198.51.100.1, 203.0.113.7, 10.0.0.2', PROXIES), '203.0.113.7', 'forged further left');
  t.is(clientAddress('10.0.0.1', '10.0.0.3, 203.0.113.7', PROXIES), '203.0.113.7', 'a forged proxy');
  t.is(clientAddress('10.0.0.1', '10.0.0.3, 10.0.0.2', PROXIES), '10.0.0.3', 'a proxy that asks itself');
});

test('addresses are read in IPv6, with ports and in any notation', (t) => {
  t.is(clientAddress('2001:db8:ffff::1', '2001:DB8:0:0::7, 2001:db8:ffff::2', PROXIES), '2001:db8::7');
  t.is(clientAddress('10.0.0.1', '[2001:db8::7]:4711', PROXIES), '2001:db8::7');
  t.is(clientAddress('10.0.0.1', '203.0.113.7:4711,10.0.0.2:80', PROXIES), '203.0.113.7');
  t.is(clientAddress('10.0.0.1', '::ffff:203.0.113.7', PROXIES), '203.0.113.7');
});

test('without an address where one is expected, the peer counts', (t) => {
  for (const header of ['unknown', '203.0.113.7, ', '203.0.113.7, _hidden, 10.0.0.2', '203.0.113.7;10.0.0.2', '1'])
    t.is(clientAddress('10.0.0.1', header, PROXIES), '10.0.0.1', header);
  t.is(
    clientAddress('10.0.0.1', 'unknown, 203.0.113.7', PROXIES),
    '203.0.113.7',
    'what is further left does not matter',
  );
});

test('addresses of keys and limits are those of clients behind a trusted proxy, and of the connection elsewhere', async (t) => {
  const requestLimits = { perCaller: 20, perWorkspace: 0, failuresPerAddress: 1 };
  const behind = await openOwnApi(t, { requestLimits, trustedProxies: ['127.0.0.1'] });
  const { secret: token } = await insertOwnKey(behind, await behind.services.stores.system.insertWorkspace('one'));
  const json = { permissions: ['*'], ip_whitelist: ['203.0.113.7', '2001:db8::/64'] };
  const made = await behind.send('/api-keys', { method: 'POST', token, json });
  const limited = ApiKey.parse(made.body).secret ?? '';
  const ask = async (key: string, forwarded: string) => {
    const headers = { 'X-Forwarded-For': forwarded };
    return (await behind.send('/collections', { token: key, headers })).status;
  };
  t.is(await ask(limited, '203.0.113.7'), 200);
  t.is(await ask(limited, '198.51.100.1, 2001:db8::1'), 200);
  t.is(await ask(limited, '203.0.113.7, 198.51.100.1'), 403, 'forged by the client at 198.51.100.1');
  t.deepEqual(
    [await ask('nonsense', '198.51.100.1'), await ask('nonsense', '198.51.100.2')],
    [429, 401],
    'failures count by client',
  );

  const direct = await openOwnApi(t, { requestLimits, trustedProxies: ['192.0.2.1'] });
  const { secret } = await insertOwnKey(direct, await direct.services.stores.system.insertWorkspace('one'));
  const other = await direct.send('/api-keys', { method: 'POST', token: secret, json });
  const headers = { 'X-Forwarded-For': '203.0.113.7' };
  t.is((await direct.send('/collections', { token: ApiKey.parse(other.body).secret ?? '', headers })).status, 403);
});
