import { createServer } from 'node:http';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { createBrowserClient } from '../../../client/src/create-browser-client.ts';
import { createLociClient } from '../../../client/src/create-loci-client.ts';
import { dataOf } from '../../../client/src/data-of.ts';
import { LociError } from '../../../client/src/loci-error.ts';

const PAGE = '<!doctype html><title>Sign in</title>';

/** A site that answers every request with its page, as the console does below its path, and proxies before their sign-in. */
async function startPages(t: ExecutionContext, headers: Record<string, string> = {}) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(PAGE);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { origin: `http://127.0.0.1:${port}`, asked };
}

test('a web page in place of the API is an error that says what to check, and is not requested again', async (t) => {
  const { origin, asked } = await startPages(t);
  const baseUrl = `${origin}/console`;
  const loci = createLociClient({ baseUrl, apiKey: 'x' });
  const browser = createBrowserClient({ baseUrl, apiKey: 'x' });
  const path = { content_id: 'a' };
  const calls: (() => Promise<unknown>)[] = [
    () => dataOf(loci.api.GET('/api/v1/collections')),
    () => dataOf(loci.api.POST('/api/v1/collections', { body: { name: 'no' } })),
    () => dataOf(loci.api.GET('/api/v1/contents/{content_id}/file', { params: { path }, parseAs: 'blob' })),
    () => loci.upload({ collectionId: 'c', texts: ['x'] }),
    () => loci.paginate('/api/v1/contents').next(),
    () => loci.streamAnswer({ query: 'When?' }).next(),
    () => dataOf(browser.api.GET('/api/v1/me')),
  ];
  for (const [index, call] of calls.entries()) {
    const error = await t.throwsAsync(call(), { instanceOf: LociError });
    t.like(error, { code: 'not_the_api', status: 200 });
    t.true(error.message.startsWith(`${baseUrl} answers with a web page, not with the API: check the address`));
    t.is(asked.length, index + 1);
  }
});

test('a web page in place of the Model Context Protocol is the answer to the request, and says what to check', async (t) => {
  const { origin } = await startPages(t);
  const loci = createLociClient({ baseUrl: origin, apiKey: 'x' });
  const [input, output] = [new PassThrough(), new PassThrough()];
  input.end('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
  const signal = AbortSignal.timeout(60_000);
  await loci.relayMcp({ input, output, signal, onProblem: ({ message }) => t.fail(message) });
  output.end();
  t.regex(await text(output), /"id":1,"error":.*answers with a web page.*"code":"not_the_api"/);
});

test('files that are web pages, and the page that ends an authorization, are no errors', async (t) => {
  const { origin } = await startPages(t);
  const files = await startPages(t, { 'content-disposition': 'attachment; filename="a.html"' });
  const params = { path: { content_id: 'a' } };
  const get = createLociClient({ baseUrl: files.origin, apiKey: 'x' }).api.GET;
  const file: unknown = await dataOf(get('/api/v1/contents/{content_id}/file', { params, parseAs: 'text' }));
  t.is(file, PAGE);
  const { api } = createLociClient({ baseUrl: origin, apiKey: 'x' });
  const query = { state: 's' };
  t.is(await dataOf(api.GET('/api/v1/oauth/callback', { params: { query }, parseAs: 'text' })), PAGE);
});
