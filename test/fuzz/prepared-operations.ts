import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { Connection } from '#domain/records/connection.ts';
import { AuthorizeAnswer } from '#domain/records/oauth.ts';
import { createSignInCode } from '#operations/access/sign-in.ts';
import { createPostgres } from '#store/postgres.ts';
import { createStores } from '#store/stores.ts';
import { apiClient, type ApiClient } from '#test/support/harness/api-client.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { startTokenServer } from '#test/support/servers/token-server.ts';
import { createKnownIds } from './known-ids.ts';

/** How many of each can be used up in a round. */
const COUNT = 6;
/** Operations that take what works once: a code, the state of an authorization. */
const ONCE = ['signIn', 'authorizationCallback'];
/** Operations of the administrator, on workspaces that no other request uses. */
const ADMINISTRATION = ['createWorkspace', 'deleteWorkspace'];

/** Operations that random requests of one key never succeed in, because of who sends them or of what they need. */
export const PREPARED_OPERATIONS: readonly string[] = [...ONCE, ...ADMINISTRATION];

export type KnownOnes = ReturnType<typeof createKnownIds>;
type Usual = { client: ApiClient & { key: string }; whole: ApiClient; ids: KnownOnes };

/** Prepares what these operations need. `refill` makes it anew, at the start of a round; all others are sent as usual. */
export async function prepareOperations(t: ExecutionContext, { client, whole, ids }: Usual) {
  const bearer = { Authorization: `Bearer ${testStack().adminToken}` };
  const [admin, wholeAsAdmin] = [apiClient(bearer), apiClient(bearer, '')];
  const server = await startTokenServer(() => ({ body: { access_token: 'at-1', token_type: 'bearer' } }));
  t.teardown(() => server.close());
  const workspaces = createKnownIds();
  let once = createKnownIds();
  return {
    clientOf: (operation: string) => (ADMINISTRATION.includes(operation) ? wholeAsAdmin : whole),
    idsOf: (operation: string) =>
      ADMINISTRATION.includes(operation) ? workspaces : ONCE.includes(operation) ? once : ids,
    async refill(): Promise<void> {
      once = createKnownIds();
      for (const code of await signInCodes(client.key)) once.learn('code', code);
      for (const state of await authorizations(client, server)) once.learn('state', state);
      for (let made = 0; made < COUNT; made += 1)
        workspaces.learnFrom(
          'workspace',
          await admin.post('/workspaces', z.unknown(), { json: { name: 'fuzz' }, status: 201 }),
        );
    },
  };
}

async function signInCodes(apiKey: string): Promise<string[]> {
  const database = createPostgres({ url: testStack().databaseUrl, poolSize: 1, applicationName: 'loci-test' });
  try {
    const stores = createStores(database);
    const codes = Array.from({ length: COUNT }, () => createSignInCode(stores, apiKey.split('_')[1] ?? ''));
    return (await Promise.all(codes)).filter((code) => code !== null);
  } finally {
    await database.destroy();
  }
}

type Endpoints = { tokenEndpoint: string; authorizationEndpoint: string };

/** Begins authorizations, and returns the state of each. */
async function authorizations(client: ApiClient, server: Endpoints): Promise<string[]> {
  const oauth = { token_endpoint: server.tokenEndpoint, authorization_endpoint: server.authorizationEndpoint };
  const json = {
    integration: 'tracker',
    integration_type: 'connectors',
    config: { oauth },
    credentials: { client_id: 'loci', client_secret: 'hush' },
  };
  const { id } = await client.post('/connections', Connection, { json, status: 201 });
  const begun = Array.from({ length: COUNT }, () =>
    client.post(`/oauth/authorize/${id}`, AuthorizeAnswer, { json: {} }),
  );
  return (await Promise.all(begun)).map(({ authorization_url: url }) => new URL(url).searchParams.get('state') ?? '');
}
