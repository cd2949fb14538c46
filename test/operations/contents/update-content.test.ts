import test from 'ava';
import { bytesDedupeKey } from '#operations/crawls/page-content.ts';
import { updateContent } from '#operations/contents/update-content.ts';
import { query } from '#store/postgres.ts';
import { addContents, countWaiting, makePlace } from '#test/support/harness/content-runs.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

test('a change that leaves the name of a content as it is does not wait for an upload, and a new name does', async (t) => {
  const { services, database } = await openOwnServices(t, { temporal: 'away' });
  const { scope, collectionId, caller, ...place } = await makePlace(database);
  const { contentIds } = await addContents({ ...place, scope, collectionId, caller });
  const [id = ''] = contentIds;
  const hash = 'a'.repeat(64);
  await query(database, `update contents set name = 'old.txt', content_hash = :hash where id = :id`, { id, hash });
  const [before, after] = [bytesDedupeKey(hash, 'old.txt'), bytesDedupeKey(hash, 'new.txt')];
  await query(database, 'update content_collections set dedupe_key = :before where content_id = :id', { id, before });
  const keys = () =>
    query<{ dedupe_key: string }>(database, 'select dedupe_key from content_collections where content_id = :id', {
      id,
    });
  const rename = (name: string) => updateContent(services, caller, { id, fields: { name, description: `of ${name}` } });
  let renamed: ReturnType<typeof rename> | undefined;
  await services.stores.transaction(async (uploading) => {
    await uploading.collections.lockForUpload(scope, collectionId);
    t.like(await rename('old.txt'), { name: 'old.txt', description: 'of old.txt' });
    renamed = rename('new.txt');
    await eventually('the new name waits for the upload', async () => (await countWaiting(database)) === 1);
    t.like(await services.stores.contents.find(scope, id), { name: 'old.txt' });
  });
  t.like(await renamed, { name: 'new.txt', description: 'of new.txt' });
  t.deepEqual(await keys(), [{ dedupe_key: after }]);
});
