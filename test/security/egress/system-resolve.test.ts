import { lookup } from 'node:dns/promises';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createSystemResolve } from '#security/egress/system-resolve.ts';
import { startNameServer } from '#test/support/servers/name-server.ts';

async function openNameServer(t: ExecutionContext) {
  const server = await startNameServer('192.0.2.7');
  t.teardown(() => server.close());
  return { servers: [server.address], asked: server.asked };
}

const never = new AbortController().signal;

test('returns the addresses of a name, and names what is missing', async (t) => {
  const { servers } = await openNameServer(t);
  const resolve = createSystemResolve({ servers });
  t.deepEqual(await resolve('known.example.com', never), ['192.0.2.7']);
  t.deepEqual(await resolve('KNOWN.example.com.', never), ['192.0.2.7']);
  await t.throwsAsync(resolve('other.example.com', never), { code: 'ENOTFOUND' });
});

test('many names whose servers never answer hold up nothing else, and end with their request', async (t) => {
  const { servers, asked } = await openNameServer(t);
  const resolve = createSystemResolve({ servers, timeoutMs: 60_000 });
  const request = new AbortController();
  const hanging = Array.from({ length: 64 }, (_, number) => resolve(`silent.${number}.example.com`, request.signal));
  const ended = Promise.allSettled(hanging);
  t.deepEqual(await resolve('known.example.com', never), ['192.0.2.7']);
  t.true((await lookup('localhost')).address.length > 0, 'threads of the process are free');
  t.true(asked.length >= 64);
  request.abort();
  t.deepEqual(
    (await ended).map(({ status }) => status),
    hanging.map(() => 'rejected'),
  );
});

test('a server that does not answer is a temporary failure after the tries', async (t) => {
  const { servers } = await openNameServer(t);
  await t.throwsAsync(createSystemResolve({ servers, timeoutMs: 50 })('silent.example.com', never), {
    code: 'ETIMEOUT',
  });
});

test('the hosts file comes first, and local names are completed by the operating system', async (t) => {
  const { servers, asked } = await openNameServer(t);
  const hostsFile = join(tmpdir(), `hosts-${process.pid}-${Date.now()}`);
  await writeFile(hostsFile, '# comment\n10.1.2.3 wiki.example.com wiki # ours\n::1\twiki.example.com\n');
  const resolve = createSystemResolve({ servers, hostsFile });
  t.deepEqual(await resolve('Wiki.Example.com', never), ['10.1.2.3', '::1']);
  t.deepEqual(await resolve('wiki', never), ['10.1.2.3']);
  const local = await resolve('localhost', never);
  t.true(local.every((address) => address === '127.0.0.1' || address === '::1'));
  t.deepEqual(asked, []);
});
