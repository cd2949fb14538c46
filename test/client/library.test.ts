import { join } from 'node:path';
import test from 'ava';
import { builtClient } from '#test/support/harness/client-package.ts';
import { startFlow } from '#test/support/harness/flow.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { folderOf, manyFiles } from './folders.ts';

const { createLociClient, dataOf, LociError } = await builtClient();

/** A client with a new collection in a new workspace, and the uploads that it has sent. */
async function startClient(options: { retries?: number } = {}) {
  const { key, collectionId, workspaceId } = await startFlow();
  const uploads: string[] = [];
  const loci = createLociClient({
    baseUrl: testStack().baseUrl,
    apiKey: key,
    ...options,
    fetch: (input, init) => {
      if (typeof input === 'string' && input.endsWith('/upload')) uploads.push(input);
      return fetch(input, init);
    },
  });
  return { loci, collectionId, workspaceId, uploads };
}

test('an answer is streamed, and an error of the question is thrown', async (t) => {
  const { loci, collectionId } = await startClient();
  const { uploadIds } = await loci.upload({ collectionId, texts: ['The ferry to Ulva leaves at noon.'] });
  await loci.waitUntilReady({ uploadIds });
  const question = { query: 'When does the ferry leave?', collection_ids: [collectionId] };
  const events: string[] = [];
  for await (const { event, data } of loci.streamAnswer(question)) {
    events.push(event);
    if (event === 'done') t.is(data.answer, 'The ferry to Ulva leaves at noon. [1]');
  }
  t.deepEqual(events, ['sources', 'delta', 'citation', 'done']);
  const absent = { ...question, collection_ids: ['0198c0de-0000-7000-8000-00000000dead'] };
  const error = await t.throwsAsync(loci.streamAnswer(absent).next(), { instanceOf: LociError });
  t.like(error, { status: 404, code: 'not_found' });
});

test('all memories of a user are exported, and a refused export is thrown', async (t) => {
  const { loci } = await startClient();
  const memories = Array.from({ length: 600 }, (_, number) => ({
    user_id: 'ada',
    memory: `Owns the boat ${number}, früh.`,
  }));
  await dataOf(loci.api.POST('/api/v1/memories/batch', { body: { memories } }));
  const exported: string[] = [];
  for await (const { memory } of loci.exportMemories({ userId: 'ada' })) exported.push(memory);
  t.deepEqual(exported.toSorted(), memories.map(({ memory }) => memory).toSorted());
  t.true((await loci.exportMemories({ userId: 'nobody' }).next()).done);
  const error = await t.throwsAsync(loci.exportMemories().next(), { instanceOf: LociError });
  t.like(error, { status: 422, code: 'validation_failed' });
});

test('uploaded files and texts are found after waitUntilReady', async (t) => {
  const { loci, collectionId } = await startClient();
  const folder = await folderOf(t, { 'otters.md': '# Otters\n\nOtters hold hands while they sleep.' });
  const sent = await loci.upload({
    collectionId,
    files: [join(folder, 'otters.md'), new File(['Beavers build dams.'], 'beavers.txt')],
    texts: ['The harbour freezes in January.'],
    metadata: { lang: 'en' },
  });
  t.deepEqual(sent.failures, []);
  t.deepEqual(
    sent.items.map(({ input, source }) => [input, source]),
    [
      [join(folder, 'otters.md'), 'file'],
      ['beavers.txt', 'file'],
      ['text', 'text'],
    ],
  );
  const seen: number[] = [];
  const ready = await loci.waitUntilReady(
    { uploadIds: sent.uploadIds },
    { onProgress: ({ settled, total }) => seen.push(settled, total) },
  );
  t.like(ready, { total: 3, settled: 3, byStatus: { ready: 3 }, failed: [] });
  t.deepEqual(seen.slice(-2), [3, 3]);
  const body = { collection_id: collectionId, query: 'how do otters sleep', filters: { lang: 'en' } };
  const { results } = await dataOf(loci.api.POST('/api/v1/collections/search', { body }));
  t.is(results[0]?.source, 'otters.md');
  const contentIds = sent.items.map(({ content_id }) => content_id);
  t.like(await loci.waitUntilReady({ contentIds }), { total: 3, byStatus: { ready: 3 } });
});

test('texts and descriptions are stored with their line ends, and what is unchanged is not sent again', async (t) => {
  const { loci, collectionId, uploads } = await startClient();
  const folder = await folderOf(t, { 'eider.txt': 'The eider.' });
  const text = 'one\ntwo\r\nthree\rfour\n';
  const options = { collectionId, files: [join(folder, 'eider.txt')], description: text, skipPresent: true };
  const sent = await loci.upload({ ...options, texts: [text] });
  const stored = sent.items.find(({ source }) => source === 'text');
  t.is(await (await loci.originalFile(stored?.content_id ?? '')).text(), text);
  await loci.waitUntilReady({ uploadIds: sent.uploadIds });
  const before = uploads.length;
  await loci.upload(options);
  t.is(uploads.length, before);
});

test('many files are split into several requests, and a second run sends nothing', async (t) => {
  const { loci, collectionId, uploads } = await startClient();
  const names = manyFiles(30, 'tides');
  const folder = await folderOf(t, names);
  const files = Object.keys(names).map((name) => join(folder, name));
  const tally: object[] = [];
  const options = { collectionId, files, maxItems: 7, skipPresent: true };
  const first = await loci.upload({ ...options, onProgress: (progress) => tally.push(progress) });
  t.is(uploads.length, 5);
  t.like(tally.at(-1), { sent: 30, present: 0, failed: 0 });
  t.deepEqual(
    first.items.map(({ input }) => input).toSorted(),
    files.toSorted(),
    'every item has the path of its file',
  );
  await loci.waitUntilReady({ uploadIds: first.uploadIds });
  const second = await loci.upload(options);
  t.is(uploads.length, 5);
  t.deepEqual(second.uploadIds, []);
  t.true(
    second.items.every(({ duplicate, upload_id, status }) => duplicate && upload_id === null && status === 'ready'),
  );
  const third = await loci.upload({ ...options, metadata: { shelf: 3 } });
  t.is(third.uploadIds.length, 5, 'with other metadata the files are sent again');
  t.is(new Set([...first.items, ...second.items, ...third.items].map(({ content_id }) => content_id)).size, 30);
});

test('paginate yields a whole list for any page size, and stops when the caller does', async (t) => {
  const { loci, collectionId } = await startClient();
  const names = manyFiles(11, 'pages');
  const folder = await folderOf(t, names);
  const sent = await loci.upload({ collectionId, files: Object.keys(names).map((name) => join(folder, name)) });
  await loci.waitUntilReady({ uploadIds: sent.uploadIds });
  const walked: string[] = [];
  for await (const content of loci.paginate('/api/v1/contents', { query: { collection_id: collectionId, limit: 4 } })) {
    walked.push(content.name);
  }
  t.is(new Set(walked).size, 11);
  t.is(walked.length, 11);
  const chunks = [];
  for await (const chunk of loci.paginate('/api/v1/chunks', { query: { collection_id: collectionId, limit: 2 } })) {
    chunks.push(chunk.content);
    if (chunks.length === 5) break;
  }
  t.is(chunks.length, 5);
  const [uploadId = ''] = sent.uploadIds;
  const manifest = [];
  const ofUpload = loci.paginate('/api/v1/uploads/{upload_id}', { path: { upload_id: uploadId }, query: { limit: 3 } });
  for await (const content of ofUpload) manifest.push(content.content_id);
  t.is(new Set(manifest).size, 11);
});

test('a file that cannot be read or is rejected fails alone, reported under the given path', async (t) => {
  const { loci, collectionId } = await startClient();
  const folder = await folderOf(t, {
    'a/notes.txt': '',
    'b/notes.txt': 'Notes about basalt.',
    'c/notes.txt': 'Notes about gneiss, which are longer.',
    'c/program.bin': new Uint8Array([0, 1, 2, 3, 255, 254, 0, 0, 7]),
  });
  const files = ['a/notes.txt', 'b/notes.txt', 'absent.txt', 'c', 'c/notes.txt', 'c/program.bin'];
  const urls = ['ftp://example.com/x', 'nothing like it'];
  const sent = await loci.upload({ collectionId, files: files.map((name) => join(folder, name)), urls });
  t.deepEqual(
    sent.items.map(({ input }) => input),
    ['b/notes.txt', 'c/notes.txt'].map((name) => join(folder, name)),
  );
  const failures = new Map(sent.failures.map(({ input, code }) => [input, code]));
  t.deepEqual(
    failures,
    new Map([
      [join(folder, 'absent.txt'), 'unreadable_file'],
      [join(folder, 'c'), 'unreadable_file'],
      [join(folder, 'a/notes.txt'), 'empty_file'],
      [join(folder, 'c/program.bin'), 'unsupported_type'],
      ['ftp://example.com/x', 'invalid_url'],
      ['nothing like it', 'invalid_url'],
    ]),
  );
});

test('waitUntilReady returns failed contents and can be aborted', async (t) => {
  const { loci, collectionId } = await startClient();
  const { uploadIds } = await loci.upload({ collectionId, files: [new File(['  \n '], 'blank.txt')] });
  const ready = await loci.waitUntilReady({ uploadIds });
  t.is(ready.failed.length, 1);
  t.like(ready.failed[0], { name: 'blank.txt', status: 'failed', error_code: 'no_text' });
  t.truthy(ready.failed[0]?.status_message);
  const givenUp = loci.waitUntilReady({ uploadIds }, { signal: AbortSignal.abort(new Error('enough')) });
  await t.throwsAsync(givenUp, { message: 'enough' });
  const unknown = loci.waitUntilReady({ contentIds: [collectionId] });
  t.like(await t.throwsAsync(unknown, { instanceOf: LociError }), { status: 404, code: 'not_found' });
});

test('a LociError carries the status, code and details of the response', async (t) => {
  const { loci, collectionId } = await startClient();
  const stranger = createLociClient({ baseUrl: testStack().baseUrl, apiKey: 'loci_wrong' });
  const refused = await t.throwsAsync(dataOf(stranger.api.GET('/api/v1/collections')), { instanceOf: LociError });
  t.like(refused, { status: 401, code: 'unauthorized' });
  t.regex(refused.requestId ?? '', /\S/);
  t.is(refused.message, refused.detail);
  const upload = stranger.upload({ collectionId, texts: ['Nobody reads this.'] });
  t.like(await t.throwsAsync(upload, { instanceOf: LociError }), { status: 401, code: 'unauthorized' });
  const absent = loci.api.GET('/api/v1/contents/{content_id}', { params: { path: { content_id: collectionId } } });
  t.like(await t.throwsAsync(dataOf(absent), { instanceOf: LociError }), { status: 404, code: 'not_found' });
  const body = { collection_id: collectionId, query: '', max_results: 1000 };
  const invalid = await t.throwsAsync(dataOf(loci.api.POST('/api/v1/collections/search', { body })), {
    instanceOf: LociError,
  });
  t.like(invalid, { status: 422, code: 'validation_failed' });
  t.deepEqual(invalid.issues.map(({ loc }) => loc.join('.')).toSorted(), ['body.max_results', 'body.query']);
  const elsewhere = loci.upload({ collectionId: '0198c0de-0000-7000-8000-00000000000b', texts: ['Lost.'] });
  t.like(await t.throwsAsync(elsewhere, { instanceOf: LociError }), { status: 403, code: 'forbidden' });
});

test('an unreachable service is reported as unreachable, with its address', async (t) => {
  const loci = createLociClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'x', retries: 0 });
  const away = await t.throwsAsync(dataOf(loci.api.GET('/api/v1/collections')), { instanceOf: LociError });
  t.like(away, { status: null, code: 'unreachable' });
  t.regex(away.message, /http:\/\/127\.0\.0\.1:1/);
});

test('a file that is a web page is downloaded as it is', async (t) => {
  const { loci, collectionId } = await startClient();
  const page = '<!doctype html><title>Otters</title><p>Otters hold hands.';
  const files = [new File([page], 'otters.html')];
  const [item] = (await loci.upload({ collectionId, files, ingest: false })).items;
  t.is(item?.type, 'text/html');
  const params = { path: { content_id: item?.content_id ?? '' } };
  const file: unknown = await dataOf(loci.api.GET('/api/v1/contents/{content_id}/file', { params, parseAs: 'text' }));
  t.is(file, page);
});
