import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { query } from '#store/postgres.ts';
import { idsOf, longText, openInsides, startFlow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';
import { DOWNLOAD_ADDRESS } from '#test/support/harness/stack.ts';

const file = (text: string, name = 'file.txt') => ['file', new File([text], name)] as const;
const metadata = (value: Record<string, unknown>) => ['metadata', JSON.stringify(value)] as const;

test('uploading the same bytes under the same name returns the existing content and replaces its metadata', async (t) => {
  const flow = await startFlow();
  const [id] = idsOf(await flow.upload(file('Amber holds insects.'), metadata({ shelf: 1, keep: 'x' })));
  const [before] = await flow.chunks(id);
  const again = await flow.upload(file('Amber holds insects.'), metadata({ shelf: 2 }));
  t.like(again.uploads[0], { content_id: id, duplicate: true, status: 'ready' });
  t.deepEqual((await flow.content(id)).metadata, { shelf: 2 });
  const found = await until(
    () => flow.search('amber', { filters: { shelf: 2 } }),
    ({ length }) => length > 0,
  );
  t.deepEqual(found[0]?.metadata['shelf'], 2);
  t.deepEqual(await flow.search('amber', { filters: { shelf: 1 } }), []);
  t.deepEqual(await flow.search('amber', { filters: { keep: 'x' } }), []);
  t.is(
    (
      await until(
        () => flow.content(id),
        ({ sync_status }) => sync_status === 'synced',
      )
    ).status,
    'ready',
  );
  t.is((await flow.chunks(id))[0]?.id, before?.id, 'nothing is ingested again');
  const bare = await flow.upload(file('Amber holds insects.'));
  t.is(bare.uploads[0]?.content_id, id);
  t.deepEqual((await flow.content(id)).metadata, { shelf: 2 }, 'metadata that is not sent is kept');
});

test('other bytes, another name or on_duplicate=keep create a separate content', async (t) => {
  const flow = await startFlow();
  const ids = [
    ...idsOf(await flow.upload(file('Jet is fossil wood.'))),
    ...idsOf(await flow.upload(file('Jet is fossil wood!'))),
    ...idsOf(await flow.upload(file('Jet is fossil wood.', 'other.txt'))),
    ...idsOf(await flow.upload(file('Jet is fossil wood.'), ['on_duplicate', 'keep'])),
    ...idsOf(await flow.upload(file('Jet is fossil wood.'), ['on_duplicate', 'keep'])),
  ];
  t.is(new Set(ids).size, 5);
  t.is((await flow.search('jet fossil wood')).length, 5);
});

test('duplicates within one upload become one content', async (t) => {
  const flow = await startFlow();
  const twin = () => ['files', new File(['Flint makes sparks.'], 'twin.txt')] as const;
  const upload = await flow.upload(twin(), twin());
  t.deepEqual(
    upload.uploads.map(({ duplicate }) => duplicate),
    [false, true],
  );
  t.is(new Set(idsOf(upload)).size, 1);
  t.is((await flow.progress(upload.upload_id)).progress.total, 1);
});

test('concurrent uploads of the same file become one content', async (t) => {
  const flow = await startFlow();
  const uploads = await Promise.all(Array.from({ length: 6 }, () => flow.upload(file('Chert splits sharply.'))));
  t.is(new Set(uploads.flatMap(idsOf)).size, 1);
  t.is(uploads.filter(({ uploads: [item] }) => item?.duplicate === false).length, 1);
  t.is((await flow.search('chert')).length, 1);
});

test('a failed file is ingested again when it is uploaded again', async (t) => {
  const flow = await startFlow();
  const insides = openInsides(t);
  const sent = () => flow.upload(['file', new File(['   \n  '], 'blank.txt')]);
  const [id] = idsOf(await sent());
  t.like(await flow.content(id), { status: 'failed', sync_status: 'error' });
  const runOf = async () => {
    const rows = await query<{ version: number }>(
      insides.database,
      'select version from content_collections where content_id = :id',
      { id },
    );
    return rows[0]?.version;
  };
  const before = await runOf();
  const again = await sent();
  t.like(again.uploads[0], { content_id: id, duplicate: true, status: 'failed' });
  t.is(await runOf(), Number(before) + 1);
});

test('uploading a URL again downloads it again and replaces the content', async (t) => {
  let body = 'Coal seams run east.';
  const server = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/plain' }).end(body),
  );
  await new Promise<void>((resolve) => server.listen(0, DOWNLOAD_ADDRESS, resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  const flow = await startFlow();
  const insides = openInsides(t);
  const url = ['urls', `http://${DOWNLOAD_ADDRESS}:${port}/seams`] as const;
  const [id] = idsOf(await flow.upload(url));
  t.is((await flow.search('coal seams')).length, 1);
  body = 'Copper veins run north, said the newer page.';
  const again = await flow.upload(url);
  t.like(again.uploads[0], { content_id: id, duplicate: true, status: 'ready' });
  t.regex((await flow.search('veins', { search_type: 'keyword' }))[0]?.content ?? '', /Copper/);
  t.deepEqual(await flow.search('coal seams', { search_type: 'keyword' }), []);
  t.is((await flow.content(id)).size, body.length);
  await until(
    () => insides.traces(flow, id),
    ({ rows, objects }) => rows === 1 && objects === 1,
  );
});

test('a URL that is sent again with its external_id keeps its file until another one is downloaded', async (t) => {
  const server = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/plain' }).end('Tin seams run west.'),
  );
  await new Promise<void>((resolve) => server.listen(0, DOWNLOAD_ADDRESS, resolve));
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  const flow = await startFlow();
  const external = metadata({ external_id: 'seams' });
  const send = (path: string, ingest = true) =>
    flow.upload(['urls', `http://${DOWNLOAD_ADDRESS}:${port}${path}`], external, ['ingest', String(ingest)]);
  const [id] = idsOf(await send('/seams'));
  await new Promise<unknown>((resolve) => server.close(resolve));
  const assertKept = async (what: string) => {
    const answered = await flow.api.send(`/contents/${id}/file`);
    t.deepEqual([answered.status, await answered.text()], [200, 'Tin seams run west.'], what);
    t.is((await flow.search('seams', { filters: { type: 'text/plain' } })).length, 1, what);
  };
  t.like((await send('/seams', false)).uploads[0], { content_id: id, replaced: false, status: 'ready' });
  await assertKept('the same URL, only to be stored');
  t.like((await send('/seams')).uploads[0], { content_id: id, replaced: false, status: 'failed' });
  await assertKept('the same URL, which cannot be reached');
  t.like((await send('/other')).uploads[0], { content_id: id, replaced: true, status: 'failed' });
  await assertKept('another URL, which cannot be reached');
});

test('replacing a content by external_id keeps the old version searchable until the new one is published', async (t) => {
  const flow = await startFlow();
  const insides = openInsides(t);
  const external = metadata({ external_id: 'doc-1' });
  const [id] = idsOf(await flow.upload(file(longText(40, 'old')), external));
  const before = await flow.chunks(id);
  const { uploads, upload_id } = await flow.send(file(longText(900, 'new'), 'renamed.txt'), external);
  t.like(uploads[0], { content_id: id, duplicate: true, status: 'pending' });
  const seen = { old: 0, new: 0 };
  for (;;) {
    const { status } = await flow.progress(upload_id);
    // The replacement has more chunks than either search asks for.
    const searches = [3, 100].map((most) => flow.search('record', { search_type: 'keyword', max_results: most }));
    const [few = [], found = []] = await Promise.all(searches);
    const topics = new Set(found.map(({ content }) => / (old|new) record/.exec(content)?.[1]));
    t.true(few.length > 0, 'a short search always finds a version');
    t.false(topics.has('old') && topics.has('new'), 'a response never mixes versions');
    t.true(found.length > 0, 'the search always finds a version');
    seen[topics.has('old') ? 'old' : 'new'] += 1;
    if (status !== 'running') break;
  }
  t.true(seen.old > 0);
  t.like(await flow.content(id), { status: 'ready', name: 'renamed.txt', external_id: 'doc-1' });
  const after = await flow.chunks(id);
  t.true(after.length > before.length);
  t.true(after.every(({ content }) => !content.includes('old record')));
  const left = await until(
    () => insides.traces(flow, id),
    ({ rows, objects }) => rows === after.length && objects === rows,
  );
  t.is(left.rows, after.length);
});

test('a failed or cancelled replacement keeps the previous version and can be repeated', async (t) => {
  const flow = await startFlow();
  const external = metadata({ external_id: 'doc-2' });
  const [id] = idsOf(await flow.upload(file('Slate makes good roofs.'), external));
  await flow.upload(file('   '), external);
  const failed = await flow.content(id);
  t.is(failed.status, 'failed');
  t.regex(failed.status_message ?? '', /version before it stays searchable/);
  t.is((await flow.search('slate roofs')).length, 1);

  const newer = file(longText(900, 'newer'));
  const { upload_id } = await flow.send(newer, external);
  const cancelled = await flow.control(`/uploads/${upload_id}/cancel`);
  t.is(cancelled.status, 200);
  t.is((await flow.progress(upload_id)).status, 'cancelled');
  t.regex((await flow.content(id)).status_message ?? '', /version before it stays/);
  t.is((await flow.search('slate roofs', { search_type: 'keyword' })).length, 1);

  t.like((await flow.upload(newer, external)).uploads[0], { content_id: id, duplicate: true, status: 'ready' });
  t.true((await flow.search('newer record', { search_type: 'keyword' })).length > 0);
  t.is((await flow.search('slate roofs', { search_type: 'keyword' })).length, 0);
});

test('the items of one request replace the contents with their external_ids, and no others', async (t) => {
  const flow = await startFlow();
  const send = (texts: readonly string[]) => {
    const items = texts.map((_, index) => ({ external_id: `wiki/${index}`, name: `wiki/${index}.txt` }));
    const files = texts.map((text) => ['files', new File([text], 'page.txt')] as const);
    return flow.upload(['items', JSON.stringify(items)], ...files);
  };
  const first = await send(['The smew is white.', 'The smew is rare.', 'The smew dives.']);
  const json = { metadata: { external_id: 'wiki/1', lang: 'en' } };
  await flow.api.send(`/contents/${first.uploads[1]?.content_id}`, { method: 'PATCH', json });
  t.deepEqual(
    first.uploads.map(({ name, external_id, replaced }) => [name, external_id, replaced]),
    [0, 1, 2].map((index) => [`wiki/${index}.txt`, `wiki/${index}`, false]),
  );
  const second = await send(['The smew is white.', 'The smew is common.', '']);
  t.deepEqual(
    second.uploads.map(({ content_id, duplicate, replaced }) => [content_id, duplicate, replaced]),
    [
      [first.uploads[0]?.content_id, true, false],
      [first.uploads[1]?.content_id, true, true],
    ],
  );
  t.like(second.errors, [{ name: 'wiki/2.txt', external_id: 'wiki/2', code: 'empty_file' }]);
  const found = await flow.search('smew', { search_type: 'keyword' });
  t.deepEqual(found.map(({ content }) => content).toSorted(), [
    'The smew dives.',
    'The smew is common.',
    'The smew is white.',
  ]);
  const content = await flow.content(first.uploads[1]?.content_id ?? '');
  t.like(content, { external_id: 'wiki/1', name: 'wiki/1.txt', ...json });
});
