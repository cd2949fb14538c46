import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import { CreateCollectionRequest } from '#domain/records/collection.ts';
import { controlContent } from '#operations/contents/control-content.ts';
import { deleteContent } from '#operations/contents/delete-content.ts';
import { updateContent } from '#operations/contents/update-content.ts';
import { createLexicalEmbedder } from '#providers/embedders/index.ts';
import { query } from '#store/postgres.ts';
import { addContents, makePlace } from '#test/support/harness/content-runs.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

test('a caller without access to a content gets 404 while others hold its run, and waits for nobody', async (t) => {
  const { services, database } = await openOwnServices(t, { temporal: 'away' });
  const place = await makePlace(database);
  const { stores, scope, caller } = place;
  const [id = ''] = (await addContents(place)).contentIds;
  const request = { ...CreateCollectionRequest.parse({ name: 'another' }), createdBy: 'a test' };
  const another = await stores.collections.insert(scope, request, createLexicalEmbedder().space);
  const limited = { ...caller, scope: { ...scope, collectionIds: [another] } };
  const requests = [
    () => deleteContent(services, limited, id),
    () => controlContent(services, limited, { contentId: id, action: 'pause', idempotency: null }),
    () => updateContent(services, limited, { id, fields: { name: 'x' } }),
    () => updateContent(services, limited, { id, fields: { metadata: { external_id: 'x' } } }),
  ];
  await database.transaction(async (holder) => {
    await query(holder, 'select from content_collections where content_id = :id for update', { id });
    for (const send of requests) t.is((await t.throwsAsync(send(), { instanceOf: AppError })).code, 'not_found');
  });
  t.is((await deleteContent(services, caller, id)).status, 'pending', 'who has access deletes it');
});
