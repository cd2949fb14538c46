import test from 'ava';
import { z } from 'zod';
import { Content } from '#domain/records/content.ts';
import { CreateChunksResponse } from '#domain/records/chunk.ts';
import { docx, docxParagraph, pdf } from '#test/support/fixtures/documents.ts';
import { eml } from '#test/support/fixtures/eml.ts';
import { idsOf, openInsides, startFlow, type Flow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';
import { createWebhook, startWebhookReceiver, assertToldOnce } from '#test/support/servers/webhook-receiver.ts';
import { zipFile } from '#test/support/fixtures/zip-file.ts';

const List = z.object({ data: z.array(Content), total_count: z.int() });

/** Returns the contents unpacked from a content, by name. */
async function partsOf(flow: Flow, id: string): Promise<Map<string, Content>> {
  const { data } = await flow.api.get(`/contents?linked_to=${id}&limit=1000`, List);
  return new Map(data.map((content) => [content.name, content]));
}

const file = (name: string, bytes: string | Buffer) => ({ name, bytes });
const archive = (...entries: Parameters<typeof zipFile>[0]) => new File([zipFile(entries)], 'papers.zip');
const statusesOf = (parts: ReadonlyMap<string, Content>) =>
  Object.fromEntries([...parts].map(([name, { status }]) => [name, status]));

test('every archive entry becomes a searchable content linked to the archive', async (t) => {
  const flow = await startFlow();
  const word = docx(docxParagraph('The committee approved the windmill budget.'));
  const paper = pdf([[{ text: 'The glacier retreated forty metres in one summer.' }]]);
  const sent = archive(
    file('notes/marmot.txt', 'The marmot digs burrows below the alpine meadow.'),
    file('notes/deep/minutes.docx', word),
    file('survey.pdf', paper),
    file('cities.csv', 'city,landmark\nPorto,granite bell tower\n'),
  );
  const upload = await flow.upload(['file', sent], ['metadata', '{"lang":"en"}'], ['user_id', 'ada']);
  const [id] = idsOf(upload);
  const whole = await flow.content(id);
  t.like(whole, { status: 'ready', type: 'application/zip', linked_to: null });
  t.is(whole.file_data['entry_count'], 4);
  const parts = await partsOf(flow, id);
  t.deepEqual(
    [...parts.keys()].toSorted(),
    ['cities.csv', 'notes/deep/minutes.docx', 'notes/marmot.txt', 'survey.pdf'].toSorted(),
  );
  const questions = {
    'notes/marmot.txt': 'marmot digs burrows alpine meadow',
    'notes/deep/minutes.docx': 'committee approved windmill budget',
    'survey.pdf': 'glacier retreated forty metres',
    'cities.csv': 'granite bell tower Porto',
  };
  for (const [name, question] of Object.entries(questions)) {
    const part = parts.get(name);
    t.like(part, { status: 'ready', linked_to: id, metadata: { lang: 'en' }, external_id: null });
    t.like(part?.file_data, { path: name, original_name: name.split('/').at(-1), uploaded_by: 'ada' });
    const [best] = await flow.search(question, { filters: { lang: 'en' } });
    t.is(best?.content_id, part?.id, name);
    t.is(best?.source, name);
  }
  const [listed] = await flow.search('minutes.docx', { search_type: 'keyword' });
  t.is(listed?.content_id, id);
  // The upload ends only when all of its contents have ended.
  const { progress, status } = await flow.progress(upload.upload_id);
  t.like(progress, { total: 5, settled: 5 });
  t.is(status, 'completed');
});

test('attachments of an e-mail become contents linked to it, including attached e-mails', async (t) => {
  const flow = await startFlow();
  const inner = eml({
    subject: 'Forwarded',
    text: 'The lighthouse keeper retires in May.',
    attachments: [{ name: 'plan.txt', type: 'text/plain', bytes: 'A cormorant dries its wings on the pier.' }],
  });
  const message = eml({
    subject: 'Papers',
    text: 'Please read the survey.',
    attachments: [
      { name: 'survey.pdf', type: 'application/pdf', bytes: pdf([[{ text: 'Hawk moths hover over jasmine.' }]]) },
      { name: 'forwarded.eml', type: 'message/rfc822', bytes: inner },
    ],
  });
  const [id] = idsOf(await flow.upload(['file', new File([message], 'papers.eml')]));
  t.like(await flow.content(id), { status: 'ready', type: 'message/rfc822' });
  const parts = await partsOf(flow, id);
  t.deepEqual(statusesOf(parts), { 'survey.pdf': 'ready', 'forwarded.eml': 'ready' });
  const innerParts = await partsOf(flow, parts.get('forwarded.eml')?.id ?? '');
  t.deepEqual(statusesOf(innerParts), { 'plan.txt': 'ready' });
  for (const [question, contentId] of [
    ['hawk moths hover over jasmine', parts.get('survey.pdf')?.id],
    ['lighthouse keeper retires in May', parts.get('forwarded.eml')?.id],
    ['cormorant dries its wings on the pier', innerParts.get('plan.txt')?.id],
    ['please read the survey', id],
  ] as const) {
    const [best] = await flow.search(question);
    t.is(best?.content_id, contentId, question);
  }
});

test('an archive entry that cannot be unpacked fails with a message of its own, and the other entries are ingested', async (t) => {
  const flow = await startFlow();
  const upload = await flow.upload([
    'file',
    archive(
      file('good.txt', 'The good one is about tin mines.'),
      { ...file('secret.txt', 'x'), flags: 1 },
      { ...file('huge.bin', 'x'), claimedBytes: 300 * 1024 * 1024 },
      { ...file('zeros.txt', Buffer.alloc(20 * 1024 * 1024)), method: 8 },
      { ...file('broken.txt', 'x'), claimedChecksum: 7 },
      file('film.bin', Buffer.from([0, 1, 2, 3, 255, 254, 0, 0, 7, 9])),
      file('other.txt', 'The other one is about copper mines.'),
    ),
  ]);
  const parts = await partsOf(flow, idsOf(upload)[0]);
  t.deepEqual(statusesOf(parts), {
    'good.txt': 'ready',
    'secret.txt': 'failed',
    'huge.bin': 'failed',
    'zeros.txt': 'failed',
    'broken.txt': 'failed',
    'film.bin': 'failed',
    'other.txt': 'ready',
  });
  const messageOf = (name: string) => parts.get(name)?.status_message ?? '';
  t.regex(messageOf('secret.txt'), /password/);
  t.regex(messageOf('huge.bin'), /300 MiB.*LOCI_MAX_FILE_BYTES/);
  t.regex(messageOf('zeros.txt'), /20 MiB.*LOCI_ARCHIVE_MAX_RATIO/);
  t.regex(messageOf('broken.txt'), /damaged/);
  t.regex(messageOf('film.bin'), /no reader reads/);
  t.like(await flow.progress(upload.upload_id), {
    status: 'completed_with_errors',
    progress: { by_status: { ready: 3, failed: 5 } },
  });
});

test('nested archives are unpacked up to the depth limit, and an archive with too many entries is not unpacked', async (t) => {
  const flow = await startFlow();
  const nest = (depth: number): Buffer =>
    zipFile([
      file(`at-${depth}.txt`, `Depth ${depth} speaks of basalt columns.`),
      ...(depth === 4 ? [] : [file(`in-${depth}.zip`, nest(depth + 1))]),
    ]);
  const many = zipFile(Array.from({ length: 10_001 }, (_, index) => file(`${index}`, 'x')));
  const upload = await flow.upload(
    ['files', new File([nest(1)], 'nested.zip')],
    ['files', new File([many], 'many.zip')],
  );
  const [nested, tooMany = ''] = idsOf(upload);
  const third = await [1, 2].reduce(
    async (id, depth) => (await partsOf(flow, await id)).get(`in-${depth}.zip`)?.id ?? '',
    Promise.resolve(nested),
  );
  const deepest = await partsOf(flow, third);
  t.deepEqual(statusesOf(deepest), { 'at-3.txt': 'ready', 'in-3.zip': 'failed' });
  t.regex(deepest.get('in-3.zip')?.status_message ?? '', /3 deep/);
  t.is((await partsOf(flow, deepest.get('in-3.zip')?.id ?? '')).size, 0);
  const whole = await flow.content(tooMany);
  t.is(whole.status, 'failed');
  t.regex(whole.status_message ?? '', /10001 files.*10000.*LOCI_ARCHIVE_MAX_ENTRIES/);
  t.is((await partsOf(flow, tooMany)).size, 0);
});

test('replacing an archive updates changed entries, adds new ones and removes missing ones', async (t) => {
  const flow = await startFlow();
  const inside = openInsides(t);
  const named: [string, string] = ['metadata', '{"external_id":"papers","edition":1}'];
  const first = archive(
    file('same.txt', 'The same words about heather.'),
    file('changed.txt', 'Old words about clover.'),
    file('gone.txt', 'Vanishing words about gorse.'),
    file('inner.zip', zipFile([file('deep.txt', 'Deep words about bracken.')])),
  );
  const [id] = idsOf(await flow.upload(['file', first], named));
  const before = await partsOf(flow, id);
  const inner = before.get('inner.zip')?.id ?? '';
  const deep = (await partsOf(flow, inner)).get('deep.txt')?.id ?? '';
  const again = archive(
    file('new.txt', 'New words about thistles.'),
    file('same.txt', 'The same words about heather.'),
    file('changed.txt', 'Fresh words about lupins.'),
  );
  const [same] = idsOf(await flow.upload(['file', again], ['metadata', '{"external_id":"papers","edition":2}']));
  t.is(same, id);
  await until(
    () => partsOf(flow, id),
    (parts) => parts.size === 3 && [...parts.values()].every(({ status }) => status === 'ready'),
  );
  const after = await partsOf(flow, id);
  t.deepEqual([...after.keys()].toSorted(), ['changed.txt', 'new.txt', 'same.txt']);
  for (const name of ['same.txt', 'changed.txt']) t.is(after.get(name)?.id, before.get(name)?.id);
  t.like(after.get('same.txt')?.metadata, { edition: 2 });
  const words = async (text: string) =>
    (await flow.search(text, { search_type: 'keyword' })).map(({ content }) => content);
  t.deepEqual(await words('lupins'), ['Fresh words about lupins.']);
  t.deepEqual(await words('thistles'), ['New words about thistles.']);
  for (const lost of ['clover', 'gorse', 'bracken']) t.deepEqual(await words(lost), []);
  for (const gone of [before.get('gone.txt')?.id ?? '', inner, deep]) {
    await until(
      () => inside.traces(flow, gone),
      ({ rows, objects }) => rows === 0 && objects === 0,
    );
    await until(
      async () => (await flow.api.send(`/contents/${gone}`)).status,
      (status) => status === 404,
    );
  }
  const found = await until(
    () => flow.search('heather', { search_type: 'keyword', filters: { edition: 2 } }),
    (results) => results.length > 0,
  );
  t.is(found[0]?.content_id, after.get('same.txt')?.id);
});

test('adding an archive to another collection adds its entries, read with the requested reader', async (t) => {
  const flow = await startFlow();
  const other = await startFlow({ key: { key: flow.key, workspaceId: flow.workspaceId } });
  const [id] = idsOf(await flow.upload(['file', archive(file('a.txt', 'Words about sphagnum.'))]));
  const [part = ''] = [...(await partsOf(flow, id)).values()].map((content) => content.id);
  const json = { content_id: id, collection_id: other.collectionId };
  await flow.api.post('/chunks/create', CreateChunksResponse, { json, status: 202 });
  const [found] = await until(
    () => other.search('sphagnum', { search_type: 'keyword' }),
    (results) => results.length > 0,
  );
  t.is(found?.content_id, part);
  await flow.delete(id);
  t.deepEqual(await flow.search('sphagnum', { search_type: 'keyword' }), []);
  t.is((await flow.api.send(`/contents/${part}`)).status, 404);
});

test('an upload with an archive sends one completion event, after all its entries have ended', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const flow = await startFlow();
  await createWebhook(flow.api, `${receiver.origin}/hook`, { events: ['upload.completed'] });
  const inner = zipFile([file('c.txt', 'Words about cranberries.')]);
  const { upload_id } = await flow.send(['file', archive(file('a.txt', 'Words about sedge.'), file('b.zip', inner))]);
  await assertToldOnce(t, { flow, receiver, uploadId: upload_id });
});
