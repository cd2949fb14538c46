import test from 'ava';
import { v7 as uuidv7 } from 'uuid';
import { AppError } from '#domain/app-error.ts';
import { controlContent } from '#operations/contents/control-content.ts';
import { addContents, makePlace, makeReady, publicationOf } from '#test/support/harness/content-runs.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

test('a repeated pause, resume or cancel of an archive changes nothing, also when only its entries are in progress', async (t) => {
  const { services, database } = await openOwnServices(t, { temporal: 'away' });
  const place = await makePlace(database);
  const { stores, scope, collectionId, caller } = place;
  const archive = await addContents(place);
  const [contentId = ''] = archive.contentIds;
  const entryId = uuidv7();
  const described = { name: 'a.txt', description: null, metadata: {}, file_data: {}, external_id: null, url: null };
  const file = { type: 'text/plain', size: 1, content_hash: null, source: 'file' as const, created_by: 'a test' };
  const part = { part_of: contentId, part_root: contentId, part_depth: 1, status: 'pending' };
  await stores.contents.insert(scope, collectionId, [{ ...described, ...file, ...part, id: entryId }]);
  const run = {
    upload_id: null,
    run_id: archive.runId,
    workflow_id: null,
    stage: 'pending' as const,
    reader: 'native',
  };
  await stores.runControl.insert(scope, collectionId, [
    { ...run, content_id: entryId, dedupe_key: null, external_id: null, part_key: 'a.txt' },
  ]);
  await makeReady(place, archive);
  await stores.publications.publish(scope, archive, publicationOf(archive));
  const control = (action: 'pause' | 'resume' | 'cancel') =>
    controlContent(services, caller, { contentId, action, idempotency: null });
  const entryStatus = async () => (await stores.contents.find(scope, entryId))?.status;
  for (const [action, status] of [
    ['pause', 'paused'],
    ['resume', 'pending'],
    ['cancel', 'cancelled'],
  ] as const) {
    for (const what of [action, `${action} again`]) {
      t.like(await control(action), { status: 'ready' }, what);
      t.is(await entryStatus(), status);
    }
  }
  const error = await t.throwsAsync(control('pause'), { instanceOf: AppError });
  t.is(error?.code, 'conflict', 'nothing is in progress any more');
});
