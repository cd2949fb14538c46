import test from 'ava';
import { ChunkPage } from '#domain/records/chunk.ts';
import { CollectionList } from '#domain/records/collection.ts';
import { z } from 'zod';
import { Content } from '#domain/records/content.ts';
import { SEARCH_TYPES } from '#domain/records/search.ts';
import { createKey, formFor } from '#test/support/harness/api-client.ts';
import { idsOf, startFlow, type Flow } from '#test/support/harness/flow.ts';

const ContentList = z.object({ data: z.array(Content), total_count: z.int() });

const ledgerEntries = (lines: string) =>
  [
    ['file', new File([lines], 'ledger.txt')],
    ['metadata', '{"external_id":"ledger","shelf":1}'],
  ] as const;

async function visibleTo({ api }: Flow) {
  const [collections, contents, chunks] = await Promise.all([
    api.get('/collections', CollectionList),
    api.get('/contents', ContentList),
    api.get('/chunks', ChunkPage),
  ]);
  return {
    collections: collections.data.map(({ id }) => id),
    contents: contents.data.map(({ id }) => id),
    chunks: chunks.chunks.map(({ content }) => content),
    totals: [collections.total_count, contents.total_count, chunks.total_count],
  };
}

test('two workspaces with the same names, external ids and bytes are isolated from each other', async (t) => {
  const [ours, theirs] = [await startFlow(), await startFlow()];
  const text = 'The ledger lists forty barrels of tar.';
  const [[our], [their]] = [
    idsOf(await ours.upload(...ledgerEntries(text))),
    idsOf(await theirs.upload(...ledgerEntries(text))),
  ];
  t.not(our, their);
  for (const [flow, id] of [
    [ours, our],
    [theirs, their],
  ] as const) {
    t.deepEqual(await visibleTo(flow), {
      collections: [flow.collectionId],
      contents: [id],
      chunks: [text],
      totals: [1, 1, 1],
    });
    for (const search_type of SEARCH_TYPES) {
      const found = await flow.search('ledger barrels tar', { search_type, filters: { external_id: 'ledger' } });
      t.deepEqual(
        found.map(({ content_id }) => content_id),
        [id],
      );
    }
  }
  const newer = 'The ledger lists nine barrels of pitch.';
  t.like((await ours.upload(...ledgerEntries(newer))).uploads[0], { content_id: our, duplicate: true });
  t.deepEqual((await visibleTo(theirs)).chunks, [text], 'a replacement does not affect the other workspace');
  await ours.delete(our);
  t.deepEqual((await visibleTo(ours)).totals, [1, 0, 0]);
  t.deepEqual((await visibleTo(theirs)).chunks, [text], 'nor does a deletion');
  const file = await theirs.api.send(`/contents/${their}/file`);
  t.is(await file.text(), text, 'the bytes are kept although both workspaces had the same');
});

/** Creates a workspace with two collections, a content in each and one in both, and a key limited to the first collection. */
async function startLimited() {
  const owner = await startFlow();
  const other = await startFlow({ key: owner });
  const [mine] = idsOf(await owner.upload(['content', 'Wool from the first barn.']));
  const [hidden] = idsOf(await other.upload(['content', 'Wool from the second barn.']));
  const [shared] = idsOf(await owner.upload(['content', 'Wool from both barns.']));
  const json = { content_id: shared, collection_id: other.collectionId };
  await owner.api.send('/chunks/create', { method: 'POST', json });
  for (let found = 0; found < 2; found = (await other.search('wool barns')).length);
  const { key } = await createKey({ workspaceId: owner.workspaceId, collections: [owner.collectionId] });
  const limited = await startFlow({ key: { key, workspaceId: owner.workspaceId }, collectionId: owner.collectionId });
  return { owner, other, limited, mine, hidden, shared };
}

test('a key limited to a collection sees and counts only its contents, and can modify them', async (t) => {
  const { other, limited, mine, hidden, shared } = await startLimited();
  const seen = await visibleTo(limited);
  t.deepEqual(seen.collections, [limited.collectionId]);
  t.deepEqual(seen.contents, [mine, shared]);
  t.deepEqual(seen.chunks.toSorted(), ['Wool from both barns.', 'Wool from the first barn.']);
  t.deepEqual(seen.totals, [1, 2, 2]);
  t.is((await limited.api.fail(`/contents/${hidden}`)).status, 404);
  t.is((await limited.api.fail(`/contents/${shared}/chunks?collection_id=${other.collectionId}`)).status, 404);
  t.is((await limited.chunks(shared)).length, 1);
  t.is((await limited.search('wool', { max_results: 100 })).length, 2);
  const refused = await limited.api.send('/upload', {
    method: 'POST',
    body: formFor(other.collectionId, [['content', 'Wool from elsewhere.']]),
  });
  t.is(refused.status, 403);
  const [added] = idsOf(await limited.upload(['content', 'Wool from the third barn.']));
  t.is((await limited.search('third barn'))[0]?.content_id, added);
});

test('a limited key deletes a content from its own collection only', async (t) => {
  const { owner, other, limited, shared } = await startLimited();
  const receipt = await limited.delete(shared);
  t.like(receipt.removed, { contents: 1, chunks: 1, index_objects: 1, blobs: 1 }, 'as if nobody else had it');
  t.is((await limited.api.fail(`/contents/${shared}`)).status, 404);
  t.like(await owner.content(shared), { status: 'ready', collection_id: other.collectionId });
  t.is((await other.search('both barns'))[0]?.content_id, shared);
  t.is((await other.chunks(shared)).length, 1);
  t.false((await owner.search('both barns')).some(({ content_id }) => content_id === shared));
});

test('a content shows its state in a collection within the scope of the caller, never in another', async (t) => {
  const owner = await startFlow();
  const other = await startFlow({ key: owner });
  const [id] = idsOf(await owner.upload(['content', 'Wool from both barns.'], ['ingest', 'false']));
  const json = { content_id: id, collection_id: other.collectionId };
  await owner.api.send('/chunks/create', { method: 'POST', json });
  while ((await other.search('wool barns')).length === 0);
  const { key } = await createKey({ workspaceId: owner.workspaceId, collections: [other.collectionId] });
  const limited = await startFlow({ key: { key, workspaceId: owner.workspaceId }, collectionId: other.collectionId });
  const there = { id, collection_id: other.collectionId, status: 'ready' } as const;
  t.like(await limited.content(id), there);
  t.like(await owner.content(id), { id, collection_id: owner.collectionId, status: 'stored' });
  const list = async ({ api }: Flow, path: string) => (await api.get(`/contents?${path}`, ContentList)).data;
  t.like((await list(limited, 'status=ready'))[0], there);
  t.deepEqual(await list(limited, 'status=stored'), []);
  t.like((await list(owner, `collection_id=${other.collectionId}&status=ready`))[0], there);
  t.is((await owner.api.get('/contents?status=ready', ContentList)).total_count, 0);
  t.is((await owner.api.get('/contents?status=stored', ContentList)).total_count, 1);
  const again = await limited.api.send('/chunks/create', { method: 'POST', json: { content_id: id } });
  t.is(again.status, 202, 'the collection defaults to the only one that the key can access');
});
