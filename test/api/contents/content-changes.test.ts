import test from 'ava';
import { Content } from '#domain/records/content.ts';
import { createPostgres, query } from '#store/postgres.ts';
import { createKey, freshClient, apiClient, type ApiClient } from '#test/support/harness/api-client.ts';
import { testStack } from '#test/support/harness/stack.ts';

const patch = (api: ApiClient, id: string, json: unknown) =>
  api.get(`/contents/${id}`, Content, { method: 'PATCH', json });

async function uploadContent(entries: readonly (readonly [string, string])[] = []) {
  const api = await freshClient();
  const { id: collectionId } = await api.createCollection('library');
  const { uploads } = await api.upload(collectionId, [['content', 'The kestrel hovers.'], ...entries]);
  const id = uploads[0]?.content_id ?? '';
  return { api, id, collectionId, content: await api.get(`/contents/${id}`, Content) };
}

/** The content with the fields that the service changes in the background reset to their former values. */
const withoutBackgroundChanges = (content: Content, before: Content) => ({
  ...content,
  updated_at: before.updated_at,
  access_count: before.access_count,
  sync_status: before.sync_status,
});

test('PATCH changes only the fields that are sent', async (t) => {
  const { api, id, content } = await uploadContent([['metadata', '{"lang":"en"}']]);
  let expected = content;
  for (const fields of [
    { description: 'A bird.' },
    { definition: 'kestrel: a small falcon' },
    { status_message: 'checked by hand' },
    { metadata: { lang: 'fr' } },
    { name: 'kestrel' },
    { description: null, definition: null, status_message: null },
  ] as const) {
    expected = { ...expected, ...fields };
    t.deepEqual(withoutBackgroundChanges(await patch(api, id, fields), content), expected);
    t.deepEqual(withoutBackgroundChanges(await api.get(`/contents/${id}`, Content), content), expected);
  }
  const before = await api.get(`/contents/${id}`, Content);
  t.is((await patch(api, id, {})).updated_at, before.updated_at);
});

test('status and sync_status accept only their defined values', async (t) => {
  const { api, id } = await uploadContent();
  for (const fields of [
    { status: 'failed', status_message: 'withdrawn' },
    { status: 'ready', sync_status: 'error' },
    { sync_status: 'never' },
    { sync_status: 'synced' },
  ] as const) {
    t.like(await patch(api, id, fields), fields);
    t.like(await api.get(`/contents/${id}`, Content), fields);
  }
  for (const [field, names] of [
    ['status', /stored.*pending.*ready.*failed.*deleting/],
    ['sync_status', /never.*synced.*stale.*error/],
  ] as const) {
    const { status, problems, body } = await api.fail(`/contents/${id}`, {
      method: 'PATCH',
      json: { [field]: 'done' },
    });
    t.deepEqual([status, problems], [400, [`body.${field} invalid_value`]]);
    t.regex(JSON.stringify(body.detail), names, 'the response names the valid values');
  }
});

test('a status set by a client is returned, but does not affect the actions of the service', async (t) => {
  const { api, id } = await uploadContent();
  await patch(api, id, { status: 'pending' });
  t.is((await api.get(`/contents/${id}`, Content)).status, 'pending');
  const { status } = await api.fail(`/contents/${id}/pause`, { method: 'POST' });
  t.is(status, 409, 'there is no run in progress');
  await patch(api, id, { status: 'cancelled' });
  const retried = await api.fail(`/contents/${id}/retry`, { method: 'POST' });
  t.is(retried.status, 409, 'nor one that failed');
  t.regex(JSON.stringify(retried.body.detail), /whose run failed or was cancelled .* the run of this one is ready/);
});

test('every validation error of a change is reported with 400, and nothing is changed', async (t) => {
  const { api, id, content } = await uploadContent();
  const json = {
    name: '',
    description: 7,
    metadata: [],
    status: 'done',
    sync_status: null,
    status_message: 'a\u0000b',
    definition: {},
    size: 5,
  };
  const { status, problems, body } = await api.fail(`/contents/${id}`, { method: 'PATCH', json });
  t.is(status, 400);
  t.deepEqual(Object.keys(body), ['detail']);
  t.deepEqual(problems.sort(), [
    'body.definition invalid_type',
    'body.description invalid_type',
    'body.metadata invalid_type',
    'body.name too_small',
    'body.size unrecognized_keys',
    'body.status invalid_value',
    'body.status_message custom',
    'body.sync_status invalid_value',
  ]);
  const large = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, index]));
  for (const [metadata, problem] of [
    [large, 'body.metadata metadata_too_large'],
    [{ external_id: 5 }, 'body.metadata.external_id string_type'],
    [{ external_id: 'x'.repeat(256) }, 'body.metadata.external_id string_type'],
    [{ 'a\u0000': 1 }, 'body.metadata custom'],
  ] as const) {
    const answer = await api.fail(`/contents/${id}`, { method: 'PATCH', json: { metadata, name: 'new' } });
    t.deepEqual([answer.status, answer.problems], [400, [problem]]);
  }
  for (const [length, wanted] of [
    [1, 200],
    [1024, 200],
    [1025, 400],
  ] as const) {
    const sent = await api.send(`/contents/${id}`, { method: 'PATCH', json: { name: 'n'.repeat(length) } });
    t.is(sent.status, wanted, `name of ${length}`);
  }
  t.deepEqual(withoutBackgroundChanges(await patch(api, id, { name: content.name }), content), content);
});

test('changing a content out of reach answers 404', async (t) => {
  const { api, id, collectionId, content } = await uploadContent();
  const other = await api.createCollection('other');
  const limited = apiClient((await createKey({ workspaceId: content.workspace_id, collections: [other.id] })).key);
  for (const client of [await freshClient(), limited]) {
    t.is((await client.fail(`/contents/${id}`, { method: 'PATCH', json: { name: 'mine' } })).status, 404);
  }
  t.is((await api.fail('/contents/nonsense', { method: 'PATCH', json: { name: 'x' } })).status, 404);
  const named = apiClient((await createKey({ workspaceId: content.workspace_id, collections: [collectionId] })).key);
  t.is((await patch(named, id, { name: 'ours' })).name, 'ours');
});

test('changing a content of an archived collection answers 409', async (t) => {
  const { api, id, collectionId } = await uploadContent();
  await api.send(`/collections/${collectionId}/archive`, { method: 'POST' });
  const { status, code } = await api.fail(`/contents/${id}`, { method: 'PATCH', json: { name: 'new' } });
  t.deepEqual([status, code], [409, 'conflict']);
  await api.send(`/collections/${collectionId}/unarchive`, { method: 'POST' });
  t.is((await patch(api, id, { name: 'new' })).name, 'new');
});

test('a content is archived where it remains, although its deletion elsewhere goes on', async (t) => {
  const { api, id, collectionId } = await uploadContent();
  const other = await api.createCollection('archive');
  const json = { content_id: id, collection_id: other.id };
  t.true((await api.send('/chunks/create', { method: 'POST', json, headers: { Prefer: 'wait=60' } })).ok);
  await api.send(`/collections/${other.id}/archive`, { method: 'POST' });
  t.is((await patch(api, id, { name: 'active here' })).name, 'active here');
  const database = createPostgres({ url: testStack().databaseUrl, poolSize: 1, applicationName: 'loci-test' });
  t.teardown(() => database.destroy());
  const sql = `update content_collections set stage = 'deleting' where content_id = :id and collection_id = :collectionId`;
  await query(database, sql, { id, collectionId });
  const { status, code } = await api.fail(`/contents/${id}`, { method: 'PATCH', json: { name: 'new' } });
  t.deepEqual([status, code], [409, 'conflict']);
});

test('characters of an external_id are counted as in the form of an upload', async (t) => {
  const { api, id, collectionId } = await uploadContent();
  const external_id = '\u{1f985}'.repeat(255);
  const metadata = { external_id };
  t.is((await patch(api, id, { metadata })).external_id, external_id);
  const upload = await api.upload(collectionId, [
    ['content', 'An eagle.'],
    ['items', JSON.stringify([{ external_id }])],
  ]);
  t.like(upload.uploads[0], { content_id: id });
  const long = { metadata: { external_id: `${external_id}x` } };
  t.is((await api.fail(`/contents/${id}`, { method: 'PATCH', json: long })).status, 400);
});

test('external_id in new metadata identifies the content, and is unique in its collection', async (t) => {
  const { api, id, collectionId } = await uploadContent();
  const second = await api.upload(collectionId, [
    ['content', 'The merlin is smaller.'],
    ['metadata', '{"external_id":"two"}'],
  ]);
  t.is((await patch(api, id, { metadata: { external_id: 'one' } })).external_id, 'one');
  t.is(
    (await patch(api, id, { metadata: { lang: 'en' } })).external_id,
    'one',
    'it is kept when new metadata has none',
  );
  const taken = await api.fail(`/contents/${id}`, { method: 'PATCH', json: { metadata: { external_id: 'two' } } });
  t.deepEqual([taken.status, taken.code], [409, 'conflict']);
  const again = await api.upload(collectionId, [
    ['content', 'The kestrel dives.'],
    ['metadata', '{"external_id":"one"}'],
  ]);
  t.like(again.uploads[0], { content_id: id, duplicate: true });
  t.not(second.uploads[0]?.content_id, id);
  const ids = await Promise.all(
    Array.from(
      { length: 4 },
      async (_, index) => (await api.upload(collectionId, [['content', `Owl ${index}.`]])).uploads[0],
    ),
  );
  const racing = await Promise.all(
    ids.map((item) =>
      api.send(`/contents/${item?.content_id}`, { method: 'PATCH', json: { metadata: { external_id: 'owl' } } }),
    ),
  );
  t.deepEqual(
    racing.map(({ status }) => status).toSorted((one, other) => one - other),
    [200, 409, 409, 409],
  );
});
