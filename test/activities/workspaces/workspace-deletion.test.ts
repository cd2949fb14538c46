import test from 'ava';
import type { WorkerServices } from '#activities/worker-services.ts';
import { giveUpIndex, removeWorkspaceRows } from '#activities/workspaces/workspace-deletion.ts';
import { CreateCollectionRequest } from '#domain/records/collection.ts';
import { deleteWorkspace } from '#operations/workspaces/delete-workspace.ts';
import { query } from '#store/postgres.ts';
import { addContents, makePlace } from '#test/support/harness/content-runs.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

const step = { attempt: 1, signal: new AbortController().signal, progress: { chunks: 0, ready: 0 } };

test('rows that a request adds to an emptied table end the pass, and the next one removes them', async (t) => {
  const own = await openOwnServices(t, { temporal: 'away' });
  // The steps use nothing that only a worker has.
  const services = own.services as WorkerServices;
  const place = await makePlace(own.database);
  const { stores, scope } = place;
  await addContents(place, 3);
  const { deletion_id } = await deleteWorkspace(services, place.caller);
  const deletion = { workspace_id: scope.workspaceId, deletion_id };
  const late: Record<string, () => Promise<unknown>> = {
    contents: () => addContents(place, 2),
    collections: () => {
      const request = CreateCollectionRequest.parse({ name: 'late' });
      const space = services.embedders.preferred.space;
      return stores.collections.insert(scope, { ...request, createdBy: 'a test' }, space);
    },
  };
  const removeRows: typeof stores.workspaceDeletions.removeRows = async (...args) => {
    const [, , { table }] = args;
    const add = late[table.table];
    delete late[table.table];
    await add?.();
    return stores.workspaceDeletions.removeRows(...args);
  };
  const meeting = {
    ...services,
    stores: { ...services.stores, workspaceDeletions: { ...stores.workspaceDeletions, removeRows } },
  };
  const count = async () =>
    (await query(own.database, 'select from contents union all select from collections')).length;
  const counts = [];
  for (let pass = 1; pass <= 3; pass += 1) {
    t.true(await giveUpIndex(meeting, deletion, step));
    t.true(await removeWorkspaceRows(meeting, deletion, step));
    counts.push(await count());
  }
  t.deepEqual([counts[2], Object.keys(late)], [0, []], String(counts));
});
