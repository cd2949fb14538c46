import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import { exchangeTokens } from '#activities/connections/exchange-tokens.ts';
import { persistRefresh } from '#activities/connections/persist-refresh.ts';
import { administratorCaller } from '#domain/access/caller.ts';
import type { SentExchange, ExchangeOutcome } from '#domain/connections/oauth-refresh.ts';
import { updateConnection } from '#operations/connections/update-connection.ts';
import { createConnection } from '#operations/connections/create-connection.ts';
import { getConnection } from '#operations/connections/connections.ts';
import { asDescribed } from '#test/support/fixtures/as-described.ts';
import { openOwnServices } from './own-services.ts';
import { startTokenServer, type TokenBehaviour } from '#test/support/servers/token-server.ts';

/** A provider that accepts each refresh token once, and revokes the grant when an old one is used again. */
export function strictRotation(): TokenBehaviour {
  let current = 'rt-0';
  let number = 0;
  return ({ parameters }) => {
    if (parameters['refresh_token'] !== current) {
      current = 'revoked';
      return { status: 400, body: { error: 'invalid_grant' } };
    }
    number += 1;
    current = `rt-${number}`;
    return { body: { access_token: `at-${number}`, refresh_token: current, expires_in: 3600 } };
  };
}

/**
 * Creates a connection to a token server, which answers as `provider` does, in a new database. Returns the steps of a refresh and
 * helpers to shift its times.
 */
export async function openOwnConnection(
  t: ExecutionContext,
  behaviour: TokenBehaviour = strictRotation(),
  provider = 'tracker',
) {
  const { services, database } = await openOwnServices(t, { temporal: 'away' });
  const server = await startTokenServer(behaviour);
  t.teardown(() => server.close());
  const caller = administratorCaller(await services.stores.system.insertWorkspace('a test'));
  const { body: connection } = await createConnection(services, caller, {
    idempotency: null,
    body: {
      integration: provider,
      integration_type: 'api',
      label: null,
      status: 'active',
      config: {
        oauth: { token_endpoint: server.tokenEndpoint, authorization_endpoint: server.authorizationEndpoint },
      },
      credentials: { client_id: 'loci', client_secret: 'x', refresh_token: 'rt-0' },
    },
  });
  const workspace_id = caller.scope.workspaceId;
  const key = { workspace_id, connection_id: connection.id };
  return {
    services,
    database,
    server,
    caller,
    connectionId: connection.id,
    exchange: (run_id: string, using = services) => exchangeTokens(using, { ...key, run_id }),
    persist: (outcome: ExchangeOutcome) => persistRefresh(services, { workspace_id, outcome: concluded(outcome) }),
    secrets: async () =>
      (await getConnection(services, caller, { id: connection.id, includeCredentials: true })).credentials ?? {},
    status: async () =>
      (await getConnection(services, caller, { id: connection.id, includeCredentials: false })).status,
    replace: (credentials: Record<string, unknown>) =>
      updateConnection(services, caller, { id: connection.id, fields: { credentials } }),
    /** Moves the last refresh one minute into the past. */
    age: () => database.raw(`update credentials set last_refresh_at = last_refresh_at - interval '1 minute'`),
    /** Sets the provider to have been failing for this many minutes. */
    awayFor: (minutes: number) =>
      database.raw(`update credential_refreshes set failing_since = now() - ? * interval '1 minute'`, [minutes]),
    /** Sets the provider to have been failing for two days, and the tokens to have expired. */
    drag: async () => {
      await database.raw(`update credential_refreshes set failing_since = now() - interval '2 days'`);
      await database.raw(`update credentials set expires_at = now() - interval '1 day'`);
    },
    dueInS: async () => {
      const { rows } = await database.raw<{ rows: { s: number | null }[] }>(
        `select extract(epoch from due_at - now())::float8 as s from credentials`,
      );
      return rows[0]?.s ?? null;
    },
    fence: async () => (await services.stores.credentialRefreshes.find(caller.scope, connection.id))?.fence ?? null,
    deliveries: async () => {
      const { rows } = await database.raw<{ rows: { event_type: string; body: string }[] }>(
        'select event_type, body from webhook_deliveries',
      );
      for (const { body } of rows) {
        const message = JSON.parse(body) as { type: string }; // as `webhook-events.ts` of the store writes it
        assert.deepEqual(asDescribed(message), message);
      }
      return rows.map(({ event_type: type }) => type);
    },
    subscribe: () =>
      database.raw(
        `insert into webhook_endpoints (id, workspace_id, url, origin, status, sealed_secret)
         values (?, ?, 'https://example.com/hook', 'https://example.com', 'active', 'sealed')`,
        [randomUUID(), workspace_id],
      ),
  };
}

function concluded(outcome: ExchangeOutcome): SentExchange {
  if ('target' in outcome) return outcome;
  throw new Error(`nothing was sent: ${outcome.kind}`);
}
