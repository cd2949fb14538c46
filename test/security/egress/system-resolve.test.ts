import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createSystemResolve } from '#security/egress/system-resolve.ts';

const A = 1;
const NOERROR = 0;
const NXDOMAIN = 3;

/** A name server that answers `addresses` for names that begin with "known", nothing for "silent", and else NXDOMAIN. */
async function startNameServer(t: ExecutionContext, address = [192, 0, 2, 7]) {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (query, from) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += length + 1;
    }
    asked.push(labels.join('.'));
    if (labels[0] === 'silent') return;
    const type = query.readUInt16BE(at + 1);
    const isKnown = labels[0] === 'known';
    const hasAnswer = isKnown && type === A;
    const head = Buffer.from(query.subarray(0, 12));
    // A response to this query, with recursion, and the number of questions, answers and the rest.
    head.writeUInt16BE(0x8180 | (isKnown ? NOERROR : NXDOMAIN), 2);
    for (const [index, count] of [1, hasAnswer ? 1 : 0, 0, 0].entries()) head.writeUInt16BE(count, 4 + 2 * index);
    const answer = hasAnswer ? Buffer.from([0xc0, 12, 0, A, 0, 1, 0, 0, 0, 60, 0, 4, ...address]) : Buffer.alloc(0);
    socket.send(Buffer.concat([head, query.subarray(12, at + 5), answer]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  t.teardown(() => socket.close());
  return { servers: [`127.0.0.1:${socket.address().port}`], asked };
}

const never = new AbortController().signal;

test('returns the addresses of a name, and names what is missing', async (t) => {
  const { servers } = await startNameServer(t);
  const resolve = createSystemResolve({ servers });
  t.deepEqual(await resolve('known.example.com', never), ['192.0.2.7']);
  t.deepEqual(await resolve('KNOWN.example.com.', never), ['192.0.2.7']);
  await t.throwsAsync(resolve('other.example.com', never), { code: 'ENOTFOUND' });
});

test('many names whose servers never answer hold up nothing else, and end with their request', async (t) => {
  const { servers, asked } = await startNameServer(t);
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
  const { servers } = await startNameServer(t);
  await t.throwsAsync(createSystemResolve({ servers, timeoutMs: 50 })('silent.example.com', never), {
    code: 'ETIMEOUT',
  });
});

test('the hosts file comes first, and local names are completed by the operating system', async (t) => {
  const { servers, asked } = await startNameServer(t);
  const hostsFile = join(tmpdir(), `hosts-${process.pid}-${Date.now()}`);
  await writeFile(hostsFile, '# comment\n10.1.2.3 wiki.example.com wiki # ours\n::1\twiki.example.com\n');
  const resolve = createSystemResolve({ servers, hostsFile });
  t.deepEqual(await resolve('Wiki.Example.com', never), ['10.1.2.3', '::1']);
  t.deepEqual(await resolve('wiki', never), ['10.1.2.3']);
  const local = await resolve('localhost', never);
  t.true(local.every((address) => address === '127.0.0.1' || address === '::1'));
  t.deepEqual(asked, []);
});
