import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { Collection } from '#domain/records/collection.ts';
import { UploadResponse } from '#domain/records/upload.ts';
import { listBlobFiles } from '#test/support/fixtures/workspace-traces.ts';
import { formFor, freshClient } from '#test/support/harness/api-client.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { testStack } from '#test/support/harness/stack.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
/** A text that is too large for the row of its blob. */
const fileOf = (text: string) => Buffer.from(text.repeat(400));
/** Bytes of no known type. */
const refusedFile = (name = 'x.bin') => new File([randomBytes(300_000)], name);

async function begin() {
  const api = await freshClient();
  const { id } = await api.post('/collections', Collection, { json: { name: 'refused' }, status: 201 });
  return { api, collectionId: id };
}

/** Counts the files on their way that contain a text. */
async function countFilesWith(text: string): Promise<number> {
  const folder = join(testStack().environment['LOCI_WORK_DIR'] ?? '', 'spool');
  const files = await readdir(folder).catch(() => []);
  const contents = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8').catch(() => '')));
  return contents.filter((content) => content.includes(text)).length;
}

test('the bytes of a refused item are removed at once, and those of the others stay', async (t) => {
  const { api, collectionId } = await begin();
  const good = fileOf('a text that is accepted ');
  const body = formFor(collectionId, [
    ['files', new File([good], 'good.txt', { type: 'text/plain' })],
    ['files', refusedFile()],
  ]);
  const upload = await api.post('/upload', UploadResponse, { body, status: 202 });
  t.deepEqual([upload.successful_uploads, upload.failed_uploads], [1, 1]);
  t.deepEqual(await listBlobFiles(api.workspaceId), [sha256(good)]);
  const again = formFor(collectionId, [
    ['files', refusedFile()],
    ['files', refusedFile()],
  ]);
  t.is((await api.send('/upload', { method: 'POST', body: again })).status, 400);
  t.deepEqual(await listBlobFiles(api.workspaceId), [sha256(good)]);
});

test('bytes that something refers to stay when an upload with the same bytes is refused', async (t) => {
  const { api, collectionId } = await begin();
  const good = fileOf('a text that is stored twice ');
  const file = () => new File([good], 'good.txt', { type: 'text/plain' });
  await api.post('/upload', UploadResponse, { body: formFor(collectionId, [['files', file()]]), status: 202 });
  const refused = formFor(collectionId, [
    ['files', file()],
    ['reader', 'unknown'],
  ]);
  t.is((await api.send('/upload', { method: 'POST', body: refused })).status, 400);
  t.deepEqual(await listBlobFiles(api.workspaceId), [sha256(good)]);
});

test('an upload into a collection that is out of reach stores nothing, wherever the collection is named', async (t) => {
  const { api } = await begin();
  const { collectionId: foreign } = await begin();
  const first = new FormData();
  first.append('collection_id', foreign);
  first.append('files', refusedFile('large.txt'));
  const last = new FormData();
  last.append('files', refusedFile('large.txt'));
  last.append('collection_id', foreign);
  for (const body of [first, last]) t.is((await api.send('/upload', { method: 'POST', body })).status, 403);
  t.deepEqual(await listBlobFiles(api.workspaceId), []);
});

test('what was received of an upload that breaks off is removed at once', async (t) => {
  const { api, collectionId } = await begin();
  const { hostname, port } = new URL(testStack().baseUrl);
  const socket = connect(Number(port), hostname);
  const part = (headers: string, content: string) =>
    `--cut\r\nContent-Disposition: form-data; ${headers}\r\n\r\n${content}\r\n`;
  const marker = randomUUID();
  const bytes = marker.repeat(6_000);
  socket.write(
    [
      `POST /api/v1/upload HTTP/1.1\r\nHost: ${hostname}\r\nX-API-Key: ${api.key}\r\nContent-Length: 90000000\r\n`,
      'Content-Type: multipart/form-data; boundary=cut\r\n\r\n',
      part('name="collection_id"', collectionId),
      ...['one', 'two', 'three'].map((name) => part(`name="files"; filename="${name}.txt"`, name + bytes)),
    ].join(''),
  );
  await eventually('two files are received', async () => (await countFilesWith(marker)) >= 2);
  socket.destroy();
  await eventually('nothing is left', async () => (await countFilesWith(marker)) === 0);
  t.deepEqual(await listBlobFiles(api.workspaceId), []);
});

test('the types of many large files are told from what is stored', async (t) => {
  const { api, collectionId } = await begin();
  const files = Array.from({ length: 80 }, (_, number) => new File([`${number} `.repeat(40_000)], `file-${number}`));
  const body = formFor(collectionId, [['ingest', 'false'], ...files.map((file) => ['files', file] as const)]);
  const upload = await api.post('/upload', UploadResponse, { body, status: 202 });
  t.deepEqual(
    upload.uploads.map(({ type }) => type),
    files.map(() => 'text/plain'),
  );
});
