import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { brotliCompressSync, createGzip, gzipSync, zstdCompressSync } from 'node:zlib';
import test from 'ava';
import { LIMITS, egressToTraps, failsWith, readAll } from '#test/support/servers/trap-egress.ts';
import { startRawTrap, startTrapServer } from '#test/support/servers/trap-server.ts';

const MIB = 1024 * 1024;

/** Writes the same chunk until the other side closes the connection. */
function writeForever(response: ServerResponse, piece: Uint8Array): void {
  const write = () => {
    while (response.write(piece));
    response.once('drain', write);
  };
  write();
}

test('rejects bodies over the limit: announced sizes before the body, others while reading', async (t) => {
  const server = await startTrapServer(t, {
    '/announced': (response) => response.writeHead(200, { 'Content-Length': '1000001' }).flushHeaders(),
    '/chunked': (response) => writeForever(response, Buffer.alloc(10_000)),
  });
  await failsWith(t, 'download_too_large', egressToTraps().fetchTo(`${server.origin}/announced`, LIMITS));
  let readBytes = 0;
  const { body } = await egressToTraps().fetchTo(`${server.origin}/chunked`, LIMITS);
  const reading = async () => {
    for await (const chunk of body) readBytes += chunk.length;
  };
  t.regex(await failsWith(t, 'download_too_large', reading()), /larger than the limit of 1000000 bytes/);
  t.true(readBytes <= 1_000_000);
  await server.allClosed();
});

test('limits the cost of a decompression bomb, in every coding and nested', async (t) => {
  const plain = Buffer.alloc(64 * MIB);
  const packed = gzipSync(plain);
  const bombs = {
    gzip: packed,
    br: brotliCompressSync(plain, { params: {} }),
    zstd: zstdCompressSync(plain),
    'gzip, gzip': gzipSync(packed),
  };
  const traps = Object.entries(bombs).map(([encoding, bytes], index) => [
    `/${index}`,
    (response: ServerResponse) => response.writeHead(200, { 'Content-Encoding': encoding }).end(bytes),
  ]);
  const server = await startTrapServer(t, Object.fromEntries(traps));
  for (const index of Object.keys(bombs).keys()) {
    const { body } = await egressToTraps().fetchTo(`${server.origin}/${index}`, {
      ...LIMITS,
      maxInflatedBytes: 5 * MIB,
    });
    let readBytes = 0;
    const reading = async () => {
      for await (const chunk of body) readBytes += chunk.length;
    };
    t.regex(await failsWith(t, 'download_too_large', reading()), /expands to more than the limit of 5242880 bytes/);
    t.true(readBytes <= 5 * MIB);
  }
  await server.allClosed();
});

test('stops an endless compressed body at the limit', async (t) => {
  const server = await startTrapServer(t, {
    '/': (response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' });
      const gzip = createGzip();
      gzip.pipe(response);
      response.on('close', () => gzip.destroy());
      const write = () => {
        while (!gzip.destroyed && gzip.write(Buffer.alloc(MIB)));
        if (!gzip.destroyed) gzip.once('drain', write);
      };
      write();
    },
  });
  await failsWith(t, 'download_too_large', readAll(server.origin, { maxInflatedBytes: 20 * MIB }));
  await server.allClosed();
});

test('rejects a Content-Encoding that is unknown, nested too deeply or does not match the body', async (t) => {
  const noise = createHash('sha512').update('noise').digest();
  const answers = {
    '/unknown': ['compress', noise, /unsupported Content-Encoding: compress/],
    '/deep': ['gzip, gzip, gzip', noise, /compressed 3 times/],
    '/gzip': ['gzip', noise, /not in the Content-Encoding/],
    '/br': ['br', noise, /not in the Content-Encoding/],
    '/zstd': ['zstd', noise, /not in the Content-Encoding/],
    '/deflate': ['deflate', noise, /not in the Content-Encoding/],
    '/short': ['gzip', gzipSync(noise).subarray(0, 40), /truncated/],
  } as const;
  const traps = Object.entries(answers).map(([path, [encoding, bytes]]) => [
    path,
    (response: ServerResponse) => response.writeHead(200, { 'Content-Encoding': encoding }).end(bytes),
  ]);
  const server = await startTrapServer(t, Object.fromEntries(traps));
  for (const [path, [, , message]] of Object.entries(answers)) {
    t.regex(await failsWith(t, 'download_rejected', readAll(server.origin + path)), message, path);
  }
  await server.allClosed();
});

test('rejects huge headers and responses that are not HTTP or not TLS', async (t) => {
  const huge = await startRawTrap(t, (socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`));
  t.regex(await failsWith(t, 'download_rejected', readAll(huge.origin)), /headers that are too large/);
  const many = await startRawTrap(t, (socket) => socket.write(`HTTP/1.1 200 OK\r\n${'X: x\r\n'.repeat(20_000)}\r\n`));
  t.regex(await failsWith(t, 'download_rejected', readAll(many.origin)), /headers that are too large/);
  const ssh = await startRawTrap(t, (socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'));
  t.regex(await failsWith(t, 'download_rejected', readAll(ssh.origin)), /does not answer in HTTP/);
  const plain = await startTrapServer(t, {});
  t.regex(
    await failsWith(t, 'download_rejected', readAll(plain.origin.replace('http:', 'https:'))),
    /does not speak TLS/,
  );
});

test('reports a broken connection and a closed port as temporary failures', async (t) => {
  const cut = await startTrapServer(t, {
    '/none': (response) => response.destroy(),
    '/half': (response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('half', () => response.destroy());
    },
    '/chunked': (response) => void response.write('half', () => response.destroy()),
  });
  for (const path of ['/none', '/half', '/chunked']) await failsWith(t, 'download_failed', readAll(cut.origin + path));
  const gone = await startRawTrap(t, (socket) => socket.destroy());
  await failsWith(t, 'download_failed', readAll(gone.origin));
  const nobody = await startTrapServer(t, {}, { address: '127.0.0.2' });
  const message = await failsWith(t, 'download_failed', readAll(`http://127.0.0.1:${nobody.port}/x?token=hunter2`));
  t.regex(message, /ECONNREFUSED/);
  t.false(message.includes('hunter2'));
});
