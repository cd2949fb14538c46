import test from 'ava';
import { listRoundFindings, playRefreshRounds, formatRoundReport } from '#bench/oauth/refresh-rounds.ts';
import { Connection, ConnectionDetail } from '#domain/records/connection.ts';
import { AuthorizeAnswer, RefreshAnswer } from '#domain/records/oauth.ts';
import { freshClient } from '#test/support/harness/api-client.ts';
import { startOidcPeer } from '#test/support/servers/oidc-peer.ts';
import { startSecondProcess } from '#test/support/harness/second-process.ts';
import { testStack } from '#test/support/harness/stack.ts';

const stack = testStack();

/** `npm run bench:refresh` runs 200 rounds. */
test('callers of two API processes share one exchange with a provider that revokes reused refresh tokens', async (t) => {
  const second = await startSecondProcess(stack, { kind: 'api', name: 'api-oauth' });
  t.teardown(() => second.stop());
  const baseUrls = [stack.baseUrl, second.url];
  const result = await playRefreshRounds(stack, { rounds: 10, callers: 20, baseUrls });
  for (const line of formatRoundReport(result)) t.log(line);
  t.deepEqual(listRoundFindings(result), []);
  t.is(result.tokenRequests, 10);
});

/** Follows redirects with cookies, like a browser, until one leaves the provider. Returns the URL of that one. */
async function authorizeAt(url: string, issuer: string): Promise<string> {
  const cookies = new Map<string, string>();
  let next = url;
  for (let hops = 0; next.startsWith(issuer) && hops < 20; hops += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(next, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${next} answered ${response.status}: ${await response.text()}`);
    next = new URL(location, next).href;
  }
  return next;
}

test('a connection to a discovered OpenID provider is authorized by the user and refreshed before it expires', async (t) => {
  const api = await freshClient();
  const publicUrl = stack.environment['LOCI_PUBLIC_URL'] ?? stack.baseUrl;
  const peer = await startOidcPeer(`${publicUrl}/api/v1/oauth/callback`);
  t.teardown(() => peer.close());
  const { id } = await api.post('/connections', Connection, {
    json: {
      integration: 'oidc',
      integration_type: 'connectors',
      config: {
        oauth: { issuer: peer.issuer, scope: peer.scope, authorization_parameters: { prompt: 'consent' } },
      },
      credentials: { ...peer.client },
    },
    status: 201,
  });
  const { authorization_url } = await api.post(`/oauth/authorize/${id}`, AuthorizeAnswer, { json: {} });
  const back = new URL(await authorizeAt(authorization_url, peer.issuer));
  const page = await fetch(`${stack.baseUrl}${back.pathname}${back.search}`);
  t.is(page.status, 200, await page.text());
  const secrets = async () =>
    (await api.get(`/connections/${id}?include_credentials=true`, ConnectionDetail)).credentials ?? {};
  const first = await secrets();
  t.is(typeof first['access_token'], 'string');
  t.is((await api.post(`/oauth/refresh/${id}`, RefreshAnswer)).status, 'active');
  const second = await secrets();
  t.not(second['refresh_token'], first['refresh_token'], 'it rotates');
  t.is(peer.revokedGrants(), 0);
});
