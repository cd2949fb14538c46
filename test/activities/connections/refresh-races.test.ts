import { randomUUID } from 'node:crypto';
import test from 'ava';
import { updateConnection } from '#operations/connections/update-connection.ts';
import { countWaiting } from '#test/support/harness/content-runs.ts';
import { until } from '#test/support/harness/eventually.ts';
import { openOwnConnection } from '#test/support/harness/own-connection.ts';

test('credentials that are stored while a refusal of the earlier ones is persisted stay usable', async (t) => {
  const { services, database, caller, connectionId, exchange, persist, secrets, status } = await openOwnConnection(
    t,
    () => ({ status: 400, body: { error: 'invalid_grant' } }),
  );
  const refused = await exchange(randomUUID());
  t.like(refused, { kind: 'refused' });
  const { persisting } = await services.stores.transaction(async (stores) => {
    await stores.connections.lock(caller.scope, connectionId, { ownerId: null });
    const begun = persist(refused);
    await until(
      () => countWaiting(database),
      (waiting) => waiting === 1,
    );
    const fields = { credentials: { client_id: 'loci', refresh_token: 'newer' } };
    await updateConnection({ ...services, stores }, caller, { id: connectionId, fields });
    return { persisting: begun };
  });
  t.deepEqual(await persisting, { kind: 'superseded' });
  t.like(await secrets(), { refresh_token: 'newer' });
  t.is(await status(), 'active');
});

test('an attempt that waited for another one of its run knows that the token was sent', async (t) => {
  const { services, database, caller, connectionId, exchange } = await openOwnConnection(t, () => 'cut');
  const { scope } = caller;
  const run_id = randomUUID();
  const { exchanging } = await services.stores.transaction(async ({ credentialRefreshes }) => {
    const found = await credentialRefreshes.lock(scope, connectionId);
    if (found === null) throw new Error('the connection has no credentials');
    const begun = exchange(run_id);
    await until(
      () => countWaiting(database),
      (count) => count === 1,
    );
    const { credential_id, version } = found;
    const target = { workspace_id: scope.workspaceId, connection_id: connectionId, credential_id, version, run_id };
    await credentialRefreshes.recordSending(scope, target, 1);
    return { exchanging: begun };
  });
  t.like(await exchanging, { kind: 'unavailable', is_unknown: true, sends: 2 });
});
