import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { createLociClient } from '../../../client/src/create-loci-client.ts';
import { dataOf } from '../../../client/src/data-of.ts';
import { LociError } from '../../../client/src/loci-error.ts';

const BYTES = new Uint8Array([0, 13, 10, 255]);
const SIGNATURE = 'X-Amz-Signature=secret';

async function serve(t: ExecutionContext, answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return `http://127.0.0.1:${port}`;
}

/** A service that redirects to the files of a bucket, which answers with these statuses. */
async function startBucket(t: ExecutionContext, ...statuses: number[]) {
  const asked: IncomingMessage[] = [];
  const bucket = await serve(t, (request, response) => {
    asked.push(request);
    response.writeHead(statuses[asked.length - 1] ?? 200).end(BYTES);
  });
  const service = await serve(t, (_request, response) =>
    response.writeHead(303, { location: `${bucket}/files/a?${SIGNATURE}` }).end(),
  );
  return { loci: createLociClient({ baseUrl: service, apiKey: 'x' }), bucket, asked };
}

test('a file to whose bucket the service redirects is downloaded from there, without credentials', async (t) => {
  const { loci, asked } = await startBucket(t, 503);
  const file = await loci.originalFile('a');
  t.deepEqual(new Uint8Array(await file.arrayBuffer()), BYTES);
  t.deepEqual(
    asked.map(({ url }) => url),
    [`/files/a?${SIGNATURE}`, `/files/a?${SIGNATURE}`],
  );
  for (const { headers } of asked) t.deepEqual([headers['x-api-key'], headers.authorization], [undefined, undefined]);
});

test('a bucket that refuses is an error that does not show the link', async (t) => {
  const { loci } = await startBucket(t, 403);
  const error = await t.throwsAsync(loci.originalFile('a'), { instanceOf: LociError });
  t.like(error, { status: 403, code: 'bucket_refused' });
  t.false(error.message.includes(SIGNATURE));
});

test('a file without a redirect is that of the service, and its errors are thrown', async (t) => {
  const baseUrl = await serve(t, (request, response) => {
    if (request.url === '/api/v1/contents/a/file') response.end(BYTES);
    else response.writeHead(404, { 'content-type': 'application/json' }).end('{"code":"not_found","detail":"No."}');
  });
  const loci = createLociClient({ baseUrl, apiKey: 'x' });
  t.deepEqual(new Uint8Array(await (await loci.originalFile('a')).arrayBuffer()), BYTES);
  t.like(await t.throwsAsync(loci.originalFile('b'), { instanceOf: LociError }), { status: 404, code: 'not_found' });
});

test('a redirect is advised as base URL only where it leads to the same path, and is shown without its query', async (t) => {
  const { loci, bucket } = await startBucket(t);
  const params = { path: { content_id: 'a' } };
  const file = await t.throwsAsync(dataOf(loci.api.GET('/api/v1/contents/{content_id}/file', { params })));
  t.is(file?.message, `The service redirects to ${bucket}/files/a. Redirects are not followed.`);
  const moved = await serve(t, (_request, response) =>
    response.writeHead(301, { location: 'https://loci.example/base/api/v1/collections?limit=1' }).end(),
  );
  const elsewhere = createLociClient({ baseUrl: moved, apiKey: 'x' });
  const query = { limit: 1 };
  const list = await t.throwsAsync(dataOf(elsewhere.api.GET('/api/v1/collections', { params: { query } })));
  t.regex(list?.message ?? '', /: use https:\/\/loci\.example\/base as the base URL\.$/);
});
