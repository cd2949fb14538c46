import test from 'ava';
import { administratorCaller } from '#domain/access/caller.ts';
import { authorizeConnection } from '#operations/connections/authorize-connection.ts';
import { createConnection } from '#operations/connections/create-connection.ts';
import { putOAuthClient } from '#operations/connections/oauth-clients.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

test('parameters of a connection are added to those of the client and of the provider, whoever has the client', async (t) => {
  const { services } = await openOwnServices(t, { temporal: 'away' });
  const caller = administratorCaller(await services.stores.system.insertWorkspace('a test'));
  await putOAuthClient(services, caller, {
    provider: 'google',
    idempotency: null,
    body: { client_id: 'shared', authorization_parameters: { hd: 'example.com', prompt: 'select_account' } },
  });
  for (const [client, credentials] of [
    ['shared', undefined],
    ['own', { client_id: 'own' }],
  ] as const) {
    const { body: connection } = await createConnection(services, caller, {
      idempotency: null,
      body: {
        integration: 'google',
        integration_type: 'connectors',
        label: null,
        status: 'active',
        config: { oauth: { authorization_parameters: { login_hint: 'ada' } } },
        credentials,
      },
    });
    const request = { id: connection.id, body: {}, idempotency: null };
    const { body } = await authorizeConnection(services, caller, request);
    t.like(Object.fromEntries(new URL(body.authorization_url).searchParams), {
      client_id: client,
      access_type: 'offline',
      hd: 'example.com',
      prompt: 'select_account',
      login_hint: 'ada',
    });
  }
});
