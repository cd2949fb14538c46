import { buffer, text } from 'node:stream/consumers';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import { createEgress } from '#security/egress/egress.ts';
import { LIMITS, egressToTraps } from '#test/support/servers/trap-egress.ts';
import { TRAP_CERTIFICATE, startRawTrap, startTrapServer } from '#test/support/servers/trap-server.ts';

test('returns status, headers and body', async (t) => {
  const bytes = Buffer.from('Grüße', 'latin1');
  const server = await startTrapServer(t, {
    '/a.txt': (response) => response.writeHead(200, { 'Content-Type': 'text/plain; charset=iso-8859-1' }).end(bytes),
  });
  const response = await egressToTraps().fetchTo(`${server.origin}/a.txt?x=1#part`, LIMITS);
  t.is(response.status, 200);
  t.is(response.headers['content-type'], 'text/plain; charset=iso-8859-1');
  t.is(response.url, `${server.origin}/a.txt?x=1`);
  t.deepEqual(await buffer(response.body), bytes);
  t.is(server.requests[0]?.path, '/a.txt?x=1');
  await server.allClosed();
});

test('sends the name in Host while the connection goes to the vetted address', async (t) => {
  const server = await startTrapServer(t, { '/': (response) => response.end('ok') });
  const response = await egressToTraps().fetchTo(`http://files.example:${server.port}/`, LIMITS);
  t.is(await text(response.body), 'ok');
  t.is(server.requests[0]?.headers.host, `files.example:${server.port}`);
});

test('sends the name over TLS and checks the certificate against it', async (t) => {
  const server = await startTrapServer(t, { '/': (response) => response.end('ok') }, { tls: true });
  const egress = egressToTraps({ certificateAuthority: TRAP_CERTIFICATE });
  const response = await egress.fetchTo(`https://trap.test:${server.port}/`, LIMITS);
  t.is(await text(response.body), 'ok');
  t.like(server.requests[0], { servername: 'trap.test', headers: { host: `trap.test:${server.port}` } });

  await t.throwsAsync(egress.fetchTo(`https://wrong.test:${server.port}/`, LIMITS), {
    code: 'download_rejected',
    message: /certificate that is not trusted \(ERR_TLS_CERT_ALTNAME_INVALID\)/,
  });
  await t.throwsAsync(egressToTraps().fetchTo(`https://trap.test:${server.port}/`, LIMITS), {
    code: 'download_rejected',
    message: /certificate that is not trusted/,
  });
  await t.throwsAsync(egress.fetchTo(`http://trap.test:${server.port}/`, LIMITS), { instanceOf: Error });
  t.is(server.requests.length, 1);
});

test('connects to another address when the first does not respond', async (t) => {
  const server = await startTrapServer(t, { '/': (response) => response.end('ok') });
  const egress = createEgress({ allow: ['127.0.0.0/8'], resolve: async () => ['127.0.0.3', '127.0.0.1'] });
  const response = await egress.fetchTo(`http://two.example:${server.port}/`, LIMITS);
  t.is(await text(response.body), 'ok');
});

test('follows a redirect to an address that the server has not escaped', async (t) => {
  const asked: string[] = [];
  const addresses: Record<string, Buffer> = {
    '/utf-8': Buffer.from('/straße'),
    '/latin-1': Buffer.from('/straße', 'latin1'),
    '/escaped': Buffer.from('/stra%C3%9Fe'),
  };
  const trap = await startRawTrap(t, (socket) => {
    socket.once('data', (data) => {
      const path = data.toString('latin1').split(' ')[1] ?? '';
      asked.push(path);
      const location = addresses[path];
      if (location === undefined) return void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      const head = Buffer.from('HTTP/1.1 302 Found\r\ncontent-length: 0\r\nlocation: ');
      return void socket.end(Buffer.concat([head, location, Buffer.from('\r\n\r\n')]));
    });
  });
  for (const path of Object.keys(addresses)) {
    const response = await egressToTraps().fetchTo(`${trap.origin}${path}`, LIMITS);
    t.is(await text(response.body), 'ok');
    t.is(asked.at(-1), '/stra%C3%9Fe', path);
  }
});

test('follows redirects, relative ones too, and reports the final URL', async (t) => {
  const server = await startTrapServer(t, {
    '/1': (response) => response.writeHead(302, { Location: '/dir/2' }).end('moved'),
    '/dir/2': (response) => response.writeHead(307, { Location: '3?sig=x' }).end(),
    '/dir/3': (response) => response.end('here'),
  });
  const response = await egressToTraps().fetchTo(`${server.origin}/1`, LIMITS);
  t.is(await text(response.body), 'here');
  t.is(response.url, `${server.origin}/dir/3?sig=x`);
});

test('returns a redirect as the response when redirects are off or Location is missing', async (t) => {
  const server = await startTrapServer(t, {
    '/to': (response) => response.writeHead(302, { Location: '/else' }).end('moved'),
    '/nowhere': (response) => response.writeHead(302).end('lost'),
  });
  const response = await egressToTraps().fetchTo(`${server.origin}/to`, { ...LIMITS, maxRedirects: 0 });
  t.is(response.status, 302);
  t.is(await text(response.body), 'moved');
  t.is(await text((await egressToTraps().fetchTo(`${server.origin}/nowhere`, LIMITS)).body), 'lost');
  t.deepEqual(
    server.requests.map(({ path }) => path),
    ['/to', '/nowhere'],
  );
});

test('turns a POST into a GET on 302 and 303, and repeats it on 307', async (t) => {
  const seen: string[] = [];
  const server = await startTrapServer(t, {
    '/302': (response) => response.writeHead(302, { Location: '/end' }).end(),
    '/303': (response) => response.writeHead(303, { Location: '/end' }).end(),
    '/307': (response) => response.writeHead(307, { Location: '/end' }).end(),
    '/end': (response, request) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        seen.push(`${request.method} ${Buffer.concat(pieces).toString()} ${request.headers['content-type'] ?? '-'}`);
        response.end();
      });
    },
  });
  for (const path of ['/302', '/303', '/307']) {
    const options = { ...LIMITS, method: 'POST', body: 'data', headers: { 'Content-Type': 'text/plain' } } as const;
    await buffer((await egressToTraps().fetchTo(server.origin + path, options)).body);
  }
  t.deepEqual(seen, ['GET  -', 'GET  -', 'POST data text/plain']);
});

test("does not send the caller's headers to another origin", async (t) => {
  const server = await startTrapServer(t, {
    '/same': (response) => response.writeHead(302, { Location: '/end' }).end(),
    '/other': (response) => response.writeHead(302, { Location: `http://other.example:${server.port}/end` }).end(),
    '/end': (response) => response.end(),
  });
  const headers = { Authorization: 'Bearer x', 'X-Api-Key': 'x', Cookie: 'x', 'Accept-Language': 'de', Host: 'evil' };
  for (const path of ['/same', '/other']) {
    await buffer(
      (await egressToTraps().fetchTo(`http://first.example:${server.port}${path}`, { ...LIMITS, headers })).body,
    );
  }
  const [, same, , other] = server.requests;
  t.like(same?.headers, {
    authorization: 'Bearer x',
    'x-api-key': 'x',
    cookie: 'x',
    host: `first.example:${server.port}`,
  });
  t.like(other?.headers, { 'accept-language': 'de', host: `other.example:${server.port}` });
  for (const name of ['authorization', 'x-api-key', 'cookie']) t.false(name in (other?.headers ?? {}), name);
});

test('decodes every Content-Encoding, also two layers, and both forms of deflate', async (t) => {
  const plain = Buffer.from('ünïcode '.repeat(10_000));
  const encodings = {
    gzip: gzipSync(plain),
    'X-GZIP': gzipSync(plain),
    br: brotliCompressSync(plain),
    zstd: zstdCompressSync(plain),
    deflate: deflateSync(plain),
    'deflate ': deflateRawSync(plain),
    'gzip, identity, br': brotliCompressSync(gzipSync(plain)),
    identity: plain,
  };
  for (const [encoding, bytes] of Object.entries(encodings)) {
    const server = await startTrapServer(t, {
      '/': (response) => response.writeHead(200, { 'Content-Encoding': encoding }).end(bytes),
    });
    const response = await egressToTraps().fetchTo(server.origin, LIMITS);
    t.deepEqual(await buffer(response.body), plain, encoding);
  }
});

test('returns an empty body for responses that cannot have one, whatever their headers state', async (t) => {
  const server = await startTrapServer(t, {
    '/head': (response) => response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': '99999999' }).end(),
    '/204': (response) => response.writeHead(204, { 'Content-Encoding': 'gzip' }).end(),
    '/empty': (response) => response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': '0' }).end(),
  });
  const head = await egressToTraps().fetchTo(`${server.origin}/head`, { ...LIMITS, method: 'HEAD' });
  t.is((await buffer(head.body)).length, 0);
  for (const path of ['/204', '/empty']) {
    t.is((await buffer((await egressToTraps().fetchTo(server.origin + path, LIMITS)).body)).length, 0, path);
  }
});

test('accepts bodies of exactly the limit, as transferred and as decompressed', async (t) => {
  const plain = Buffer.alloc(100_000, 'x');
  const packed = gzipSync(plain);
  const server = await startTrapServer(t, {
    '/plain': (response) => response.end(plain),
    '/packed': (response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(packed),
  });
  const whole = await egressToTraps().fetchTo(`${server.origin}/plain`, { ...LIMITS, maxBytes: plain.length });
  t.is((await buffer(whole.body)).length, plain.length);
  const limits = { ...LIMITS, maxBytes: packed.length, maxInflatedBytes: plain.length };
  t.is((await buffer((await egressToTraps().fetchTo(`${server.origin}/packed`, limits)).body)).length, plain.length);
});

test('closes the connection when the body is discarded or reading stops early', async (t) => {
  const server = await startTrapServer(t, {
    '/endless': (response) => {
      const write = () => {
        while (response.write(Buffer.alloc(10_000)));
        response.once('drain', write);
      };
      write();
    },
  });
  const limits = { ...LIMITS, maxBytes: Number.MAX_SAFE_INTEGER };
  const unread = await egressToTraps().fetchTo(`${server.origin}/endless`, limits);
  await unread.discard();
  await unread.discard();
  await server.allClosed();
  await t.throwsAsync(buffer(unread.body), { instanceOf: AppError, code: 'download_failed' });
  for await (const chunk of (await egressToTraps().fetchTo(`${server.origin}/endless`, limits)).body) {
    t.true(chunk.length > 0);
    break;
  }
  await server.allClosed();
  t.is(server.connections(), 2);
});
