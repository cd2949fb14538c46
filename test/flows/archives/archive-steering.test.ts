import test from 'ava';
import { z } from 'zod';
import { DeletionAccepted } from '#domain/records/deletion.ts';
import { Content } from '#domain/records/content.ts';
import { query } from '#store/postgres.ts';
import { eventually, until } from '#test/support/harness/eventually.ts';
import { idsOf, openInsides, startFlow, type Flow } from '#test/support/harness/flow.ts';
import { zipFile } from '#test/support/fixtures/zip-file.ts';

const FILES = 1_600;
const INNER = 100;
/** All contents: the archive, its entries, the nested archive and its entries. */
const ALL = 1 + FILES + 1 + INNER;
const POLL_OPTIONS = { timeoutMs: 150_000 };
const List = z.object({ data: z.array(Content), total_count: z.int() });

const countOf = async (flow: Flow, id: string) =>
  (await flow.api.get(`/contents?linked_to=${id}&limit=1`, List)).total_count;

/** Has enough entries that unpacking takes many activities; one of the first is a nested archive. */
function largeArchive(): File {
  const inner = Array.from({ length: INNER }, (_, index) => ({
    name: `inner-${index}.txt`,
    bytes: `Inner ${index} heath.`,
  }));
  const outer = Array.from({ length: FILES }, (_, index) => ({
    name: `folder-${index % 7}/${index}.txt`,
    bytes: `File ${index} speaks of heather.`,
  }));
  return new File([zipFile([{ name: 'inner.zip', bytes: zipFile(inner) }, ...outer])], 'large.zip');
}

/** Uploads the archive and waits until some of its entries are unpacked, but not all. */
async function uploadAndWaitForSome(flow: Flow): Promise<{ id: string; uploadId: string }> {
  const upload = await flow.send(['file', largeArchive()]);
  const [id] = idsOf(upload);
  await until(
    () => countOf(flow, id),
    (count) => count > 0,
  );
  return { id, uploadId: upload.upload_id ?? '' };
}

/** Waits until all entries are unpacked and have ended, and returns the number of contents by status. */
const untilAllEnded = (flow: Flow, uploadId: string) =>
  eventually(
    'all contents have ended',
    async () => {
      const { progress } = await flow.progress(uploadId);
      return progress.total === ALL && progress.settled === ALL && progress.by_status;
    },
    POLL_OPTIONS,
  );

test('deleting an archive while it is unpacked also deletes every entry unpacked so far', async (t) => {
  const flow = await startFlow();
  const { database, vectors, stores } = openInsides(t);
  const { id } = await uploadAndWaitForSome(flow);
  const { deletion_id } = await flow.api.get(`/contents/${id}`, DeletionAccepted, { method: 'DELETE', status: 202 });
  t.deepEqual(await flow.search('heather', { search_type: 'keyword' }), []);
  const receipt = await until(
    () =>
      flow.api.get(
        `/deletions/${deletion_id}`,
        z.object({ status: z.string(), removed: z.object({ contents: z.int() }) }),
      ),
    ({ status }) => status === 'completed',
  );
  t.true(receipt.removed.contents > 1, `${receipt.removed.contents}`);
  const scope = { workspaceId: flow.workspaceId };
  const leftOver = async () => {
    const [row] = await query<Record<'contents' | 'links' | 'chunks' | 'outbox', number>>(
      database,
      `select (select count(*) from contents where workspace_id = :workspaceId) as contents,
         (select count(*) from content_collections where workspace_id = :workspaceId) as links,
         (select count(*) from chunks where workspace_id = :workspaceId) as chunks,
         (select count(*) from outbox where workspace_id = :workspaceId) as outbox`,
      scope,
    );
    const found = await stores.collections.findIndex({ ...scope, collectionIds: null }, flow.collectionId);
    const objects = found ? await vectors.countObjects(found.index.space, found.index.tenant, {}) : 0;
    return { ...row, objects };
  };
  const nothing = { contents: 0, links: 0, chunks: 0, outbox: 0, objects: 0 };
  const last = await until(leftOver, (left) => Object.values(left).every((count) => count === 0));
  t.deepEqual(last, nothing);
});

test('cancelling an archive stops its unpacking, and a retry completes it', async (t) => {
  const flow = await startFlow();
  const { id, uploadId } = await uploadAndWaitForSome(flow);
  t.is((await flow.control(`/contents/${id}/cancel`)).status, 200);
  const progress = await until(
    () => flow.progress(uploadId),
    ({ status }) => status !== 'running',
  );
  t.is((await flow.content(id)).status, 'cancelled');
  const count = await countOf(flow, id);
  t.true(count < FILES + 1, `${count} of ${FILES + 1} were unpacked`);
  t.is(progress.progress.by_status['pending'] ?? 0, 0);
  t.is((await flow.control(`/contents/${id}/retry`)).status, 200);
  t.deepEqual(await untilAllEnded(flow, uploadId), { ready: ALL });
  t.is(await countOf(flow, id), FILES + 1);
});

test('a paused upload unpacks no further archive entries until it is resumed', async (t) => {
  const flow = await startFlow();
  const { id, uploadId } = await uploadAndWaitForSome(flow);
  await flow.control(`/uploads/${uploadId}/pause`);
  t.is((await flow.progress(uploadId)).status, 'paused');
  const count = await countOf(flow, id);
  t.is(await countOf(flow, id), count);
  await flow.control(`/uploads/${uploadId}/resume`);
  t.deepEqual(await untilAllEnded(flow, uploadId), { ready: ALL });
  t.is(await countOf(flow, id), FILES + 1);
});
