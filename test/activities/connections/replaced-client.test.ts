import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { putOAuthClient } from '#operations/connections/oauth-clients.ts';
import { updateConnection } from '#operations/connections/update-connection.ts';
import { openOwnConnection } from '#test/support/harness/own-connection.ts';
import type { TokenReply } from '#test/support/servers/token-server.ts';

const REFUSAL: TokenReply = { status: 401, body: { error: 'invalid_client' } };

/** A connection that uses the client of the workspace, at a provider that accepts one secret only. */
async function openSharedClient(t: ExecutionContext, other: TokenReply = REFUSAL) {
  const own = await openOwnConnection(t, ({ parameters }) =>
    parameters['client_secret'] === 'new' ? { body: { access_token: 'at-1', expires_in: 3600 } } : other,
  );
  const { services, caller, connectionId: id, server, exchange, persist } = own;
  await updateConnection(services, caller, { id, fields: { config: {}, credentials: { refresh_token: 'rt-0' } } });
  const put = (client_secret: string, provider = 'tracker') => {
    const { tokenEndpoint: token_endpoint } = server;
    const body = { client_id: 'loci', client_secret, token_endpoint, client_auth: 'post' as const };
    return putOAuthClient(services, caller, { provider, body, idempotency: null });
  };
  /** Moves the changes of clients ten minutes into the past. */
  const ageClients = () => own.database.raw(`update oauth_clients set updated_at = updated_at - interval '10 minutes'`);
  await put('old');
  await ageClients();
  return {
    ...own,
    put,
    refresh: async () => persist(await exchange(randomUUID())),
    ageClients,
    /** The connections that the schedule would refresh now. */
    due: async () => {
      const { system } = services.stores;
      await system.scheduleReplacedClients({ workspaceId: null, limit: 10 });
      return (await system.claimDueRefreshes({ workspaceId: null, limit: 10 })).map((one) => one.connection_id);
    },
  };
}

test('a connection whose client was refused is refreshed by the schedule once the client is replaced', async (t) => {
  const { connectionId, refresh, due, put, status, secrets } = await openSharedClient(t);
  t.like(await refresh(), { kind: 'refused', status: 'error' });
  await put('new', 'another');
  t.is(await status(), 'error');
  t.deepEqual(await due(), [], 'the client of another provider was replaced');
  await put('new');
  t.deepEqual(await due(), [connectionId]);
  t.deepEqual(await due(), [connectionId], 'the first claim may have met a run that was ending');
  t.deepEqual(await refresh(), { kind: 'refreshed' });
  t.is(await status(), 'active');
  t.like(await secrets(), { access_token: 'at-1' });
});

test('a refusal of the old client that arrives after the new one was stored does not end the schedule', async (t) => {
  const { connectionId, exchange, persist, due, put } = await openSharedClient(t);
  const refused = await exchange(randomUUID());
  await put('new');
  await persist(refused);
  t.deepEqual(await due(), [connectionId]);
});

test('a refusal of the new client ends the schedule again', async (t) => {
  const { connectionId, refresh, ageClients, due, put, dueInS } = await openSharedClient(t);
  await refresh();
  await put('wrong');
  t.deepEqual(await due(), [connectionId]);
  await ageClients();
  await refresh();
  t.deepEqual(await due(), []);
  t.is(await dueInS(), null);
});

test('a replaced client does not revive a grant that the provider has ended', async (t) => {
  const { refresh, due, put, status } = await openSharedClient(t, { status: 400, body: { error: 'invalid_grant' } });
  await refresh();
  await put('new');
  t.deepEqual(await due(), []);
  t.is(await status(), 'expired');
});
