import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { createLociClient } from '../../../client/src/create-loci-client.ts';
import { folderOf } from '../folders.ts';

const COLLECTION = { collectionId: 'c' };
const ACCEPTED = { upload_id: 'u', uploads: [], errors: [] };

type Form = { key: string; sizeBytes: number; form: FormData };
type Answer = { status: number; body: object };
type Answering = (sent: Form, count: number) => Answer | Promise<Answer>;

/** A client of a server that reads each form and answers it. */
async function startUploads(t: ExecutionContext, answer: Answering) {
  const forms: Form[] = [];
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request);
    const headers = { 'content-type': request.headers['content-type'] ?? '' };
    const form = await new Response(body, { headers }).formData();
    const sent = { key: String(request.headers['idempotency-key']), sizeBytes: body.length, form };
    forms.push(sent);
    const { status, body: answered } = await answer(sent, forms.length);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answered));
  };
  const server = createServer((request, response) => void listener(request, response));
  return { loci: createLociClient({ baseUrl: await listen(t, server), apiKey: 'x' }), forms };
}

async function listen(t: ExecutionContext, server: ReturnType<typeof createTcpServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return `http://127.0.0.1:${port}`;
}

/** Answers as a proxy does that takes bodies of at most this size. */
function proxyOf(maxBytes: number): Answering {
  return ({ sizeBytes }) =>
    sizeBytes > maxBytes
      ? { status: 413, body: { code: 'payload_too_large', detail: 'Too large.' } }
      : { status: 202, body: ACCEPTED };
}

function fileOf(name: string, kibibytes: number): File {
  return new File([new Uint8Array(kibibytes * 1024)], name);
}

test('an answer that comes before the service has read everything is a failure of the files', async (t) => {
  const server = createTcpServer((socket) => {
    let received = 0;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      const isFirst = received <= 1_000_000 && received + bytes.length > 1_000_000;
      received += bytes.length;
      const body = JSON.stringify({ code: 'payload_too_large', detail: 'Too large.' });
      const head = ['HTTP/1.1 413 Too Large', 'Content-Type: application/json', `Content-Length: ${body.length}`];
      if (isFirst) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    });
    t.teardown(() => socket.destroy());
  });
  const loci = createLociClient({ baseUrl: await listen(t, server), apiKey: 'x' });
  const files = ['a', 'b', 'c', 'd'].map((name) => fileOf(name, 4096));
  const { failures } = await loci.upload({ ...COLLECTION, files });
  t.deepEqual(
    failures.map(({ input, code }) => [input, code]),
    ['a', 'b', 'c', 'd'].map((name) => [name, 'payload_too_large']),
  );
});

test('one file that is too large does not make the requests of the others smaller', async (t) => {
  const { loci, forms } = await startUploads(t, proxyOf(1024 * 1024));
  const small = Array.from({ length: 2000 }, (_, at) => fileOf(`${at}.txt`, 0));
  const files = [...small.slice(0, 100), fileOf('large', 1536), ...small.slice(100)];
  const { failures } = await loci.upload({ ...COLLECTION, files });
  t.deepEqual(
    failures.map(({ input }) => input),
    ['large'],
  );
  // Ten of 200 files each, and two for each time that the one with the large file is halved.
  t.true(forms.length <= 30, `${forms.length} requests`);
});

test('when requests are too large, later ones have the size of those that fitted', async (t) => {
  const { loci, forms } = await startUploads(t, proxyOf(1024 * 1024));
  const files = Array.from({ length: 300 }, (_, at) => fileOf(`${at}.txt`, 100));
  const { failures } = await loci.upload({ ...COLLECTION, files, maxBytes: 4096 * 1024 });
  t.deepEqual(failures, []);
  const accepted = forms.filter(({ sizeBytes }) => sizeBytes <= 1024 * 1024);
  t.is(accepted.flatMap(({ form }) => form.getAll('files')).length, files.length);
  // Those of the first requests, of which two run at once; all eight would be refused three times each.
  t.true(forms.length - accepted.length <= 12, `${forms.length - accepted.length} refused requests`);
});

test('when a request has too many items, later ones have fewer, and as many bytes as before', async (t) => {
  const { loci, forms } = await startUploads(t, ({ form }) =>
    form.getAll('files').length > 50
      ? { status: 413, body: { code: 'payload_too_large', detail: 'Too many items.' } }
      : { status: 202, body: ACCEPTED },
  );
  const small = Array.from({ length: 200 }, (_, at) => fileOf(`${at}.txt`, 1));
  const large = Array.from({ length: 100 }, (_, at) => fileOf(`${at}.pdf`, 100));
  const { failures } = await loci.upload({ ...COLLECTION, files: [...small, ...large], maxBytes: 4096 * 1024 });
  t.deepEqual(failures, []);
  t.true(Math.max(...forms.map(({ sizeBytes }) => sizeBytes)) > 3_000_000);
});

test('texts and fields are sent with the line ends that they have', async (t) => {
  const { loci, forms } = await startUploads(t, () => ({ status: 202, body: ACCEPTED }));
  const text = 'one\ntwo\r\nthree\rfour\n\n';
  const name = 'a "quoted"\nname.txt';
  await loci.upload({ ...COLLECTION, texts: [text, 'été'], description: text, metadata: { note: text } });
  await loci.upload({ ...COLLECTION, files: [new File([text], name, { type: 'text/markdown' })] });
  const [texts, files] = forms.map(({ form }) => form);
  t.deepEqual(texts?.getAll('content'), [text, 'été']);
  t.is(texts?.get('description'), text);
  t.is(texts?.get('metadata'), JSON.stringify({ note: text }));
  const file = files?.get('files');
  t.true(file instanceof File);
  if (!(file instanceof File)) return;
  t.deepEqual([file.name, file.type, await file.text()], [name, 'text/markdown', text]);
});

test('a file that changes between two attempts is sent with its new content, under a new Idempotency-Key', async (t) => {
  const folder = await folderOf(t, { 'log.txt': 'one' });
  const path = join(folder, 'log.txt');
  const contents = new Map<string, string>();
  const { loci, forms } = await startUploads(t, async ({ key, form }, count) => {
    const [file] = form.getAll('files');
    const content = file instanceof File ? await file.text() : '';
    const known = contents.get(key) ?? content;
    contents.set(key, known);
    if (count === 1) {
      await writeFile(path, 'one and two');
      return { status: 504, body: {} };
    }
    if (known !== content) return { status: 422, body: { code: 'idempotency_mismatch', detail: 'Another request.' } };
    return { status: 202, body: ACCEPTED };
  });
  const { failures } = await loci.upload({ ...COLLECTION, files: [path, new File(['a'], 'a.txt')] });
  t.deepEqual(failures, []);
  t.is(forms.length, 3);
  t.deepEqual([...contents.values()], ['one', 'one and two']);
});

test('a file that changes between two attempts is not stored once more when both are to be kept', async (t) => {
  const { loci, forms } = await startUploads(t, () => ({
    status: 422,
    body: { code: 'idempotency_mismatch', detail: 'Another request.' },
  }));
  const sending = loci.upload({ ...COLLECTION, files: [new File(['a'], 'a.txt')], onDuplicate: 'keep' });
  await t.throwsAsync(sending, { message: /Another request/ });
  t.is(forms.length, 1);
});

test('bytes of a refused request are not counted', async (t) => {
  const { loci, forms } = await startUploads(t, (_form, count) =>
    count === 1 ? { status: 503, body: {} } : { status: 202, body: ACCEPTED },
  );
  const tally: number[] = [];
  await loci.upload({ ...COLLECTION, files: [fileOf('a', 1024)], onProgress: ({ bytes }) => tally.push(bytes) });
  t.is(forms.length, 2);
  t.is(tally.at(-1), forms[1]?.sizeBytes);
});
