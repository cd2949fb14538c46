import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createSignInCode } from '#operations/access/sign-in.ts';
import { createBearerTokenVerifier } from '#security/bearer-tokens.ts';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { insertOwnKey, openOwnApi } from '#test/support/harness/own-api.ts';
import { AUDIENCE, openTokenIssuer } from '#test/support/servers/token-issuer.ts';
import { axeViolations, openConsole } from './open-console.ts';

test('a member of two workspaces signs in at the issuer, chooses one, and stays signed in when the token is renewed', async (t) => {
  const { issuer, api, workspaces } = await openWithIssuer(t, ['Harbour', 'Lighthouse']);
  const { service } = issuer.server;
  const [grants, revoked]: [unknown[], unknown[]] = [[], []];
  service.on('beforeRevoke', (_response: unknown, request: { body: unknown }) => revoked.push(request.body));
  service.on(
    'beforeResponse',
    (response: { body: Record<string, unknown> }, request: { body: Record<string, unknown> }) => {
      grants.push(request.body['grant_type']);
      // The console renews it a minute before.
      response.body['expires_in'] = grants.length === 1 ? 62 : 3600;
    },
  );

  await using console = await openConsole({
    baseUrl: api.baseUrl,
    path: '/memories',
    otherOrigins: [issuer.issuer],
  });
  const { page, problems } = console;
  await page.getByRole('button', { name: `Sign in with ${new URL(issuer.issuer).host}` }).waitFor();
  t.deepEqual(await axeViolations(page), []);
  await page.getByRole('button', { name: /^Sign in with/ }).click();
  await page.getByRole('heading', { name: 'Choose a workspace' }).waitFor();
  t.deepEqual(await axeViolations(page), []);
  t.is(new URL(page.url()).search, '', 'the code is not left in the address');
  await page.getByRole('button', { name: /Lighthouse/ }).click();
  await page.getByRole('heading', { name: 'Memories' }).waitFor();
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByText('Signed in as ada').waitFor();
  await page.getByText(workspaces[1] ?? '').waitFor();
  await page.getByRole('menuitem', { name: 'Choose another workspace' }).click();
  await page.getByRole('button', { name: /Harbour/ }).click();
  await page.getByRole('heading', { name: 'Memories' }).waitFor();
  await eventually('the token is renewed', async () => grants.length > 1);
  t.deepEqual(grants, ['authorization_code', 'refresh_token']);
  await page.reload();
  await page.getByRole('heading', { name: 'Memories' }).waitFor();
  // As in a tab that slept: the token has expired, and nothing renewed it.
  await page.evaluate(() => {
    const stored: object = JSON.parse(sessionStorage.getItem('loci.token') ?? '{}');
    sessionStorage.setItem('loci.token', JSON.stringify({ ...stored, token: 'expired', expiresAtMs: 1 }));
  });
  await page.reload();
  await page.getByRole('heading', { name: 'Memories' }).waitFor();
  t.deepEqual(grants, ['authorization_code', 'refresh_token', 'refresh_token']);
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
  await page.getByRole('button', { name: /^Sign in with/ }).waitFor();
  // Nobody has to wait for it.
  await eventually('the refresh token is taken back', async () => revoked.length === 1);
  await page.getByRole('button', { name: /^Sign in with/ }).click();
  await page.getByRole('button', { name: /Harbour/ }).click();
  await page.getByRole('heading', { name: 'Memories' }).waitFor();
  await page.getByRole('button', { name: 'Account' }).click();
  const left = page.waitForRequest((request) => request.url().startsWith(`${issuer.issuer}/endsession`));
  await page.getByRole('menuitem', { name: `Sign out here and at ${new URL(issuer.issuer).host}` }).click();
  const { searchParams } = new URL((await left).url());
  t.is(searchParams.get('post_logout_redirect_uri'), `${api.baseUrl}/console/`);
  t.regex(searchParams.get('id_token_hint') ?? '', /^eyJ/);
  await page.getByRole('button', { name: /^Sign in with/ }).waitFor();
  t.notRegex(await page.evaluate(() => JSON.stringify([sessionStorage, localStorage])), /eyJ/);

  // A link for a key, in the tab of a user.
  await page.getByRole('button', { name: /^Sign in with/ }).click();
  await page.getByRole('button', { name: /Harbour/ }).click();
  await page.getByRole('button', { name: 'Account' }).waitFor();
  const { key } = await insertOwnKey(api, workspaces[1] ?? '');
  await page.goto(`${page.url()}#code=${await createSignInCode(api.services.stores, key)}`);
  await page.waitForFunction(() => sessionStorage.getItem('loci.api-key') !== null);
  await page.reload();
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByText('Signed in as console').waitFor();
  await page.getByText(workspaces[1] ?? '').waitFor();
  t.deepEqual(problems, []);
});

test('a member who creates a collection can put something into it at once', async (t) => {
  const { issuer, api } = await openWithIssuer(t, ['Harbour']);
  await using console = await openConsole({
    baseUrl: api.baseUrl,
    path: '/collections',
    otherOrigins: [issuer.issuer],
  });
  const { page, problems } = console;
  await page.getByRole('button', { name: /^Sign in with/ }).click();
  await page.getByRole('button', { name: 'New collection' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Tides');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Tides' }).click();
  const sent = page.waitForResponse((answer) => answer.url().endsWith('/api/v1/upload'));
  await page
    .getByLabel('Files …', { exact: true })
    .setInputFiles([{ name: 'ebb.txt', mimeType: 'text/plain', buffer: Buffer.from('Ebb at noon.') }]);
  t.is((await sent).status(), 202);
  await page.getByRole('row', { name: /ebb\.txt/ }).waitFor();
  t.deepEqual(problems, []);
});

test('a renewal that fails is tried again before the service refuses the token', async (t) => {
  const { issuer, api } = await openWithIssuer(t, ['Harbour']);
  issuer.server.service.on('beforeResponse', (response: { body: Record<string, unknown> }) => {
    response.body['expires_in'] = 62;
  });
  await using console = await openConsole({ baseUrl: api.baseUrl, path: '/memories', otherOrigins: [issuer.issuer] });
  const { page } = console;
  const renewals: string[] = [];
  await page.route(`${issuer.issuer}/token`, async (route) => {
    if (route.request().postData()?.includes('grant_type=refresh_token') !== true) return route.continue();
    renewals.push(renewals.length === 0 ? 'failed' : 'answered');
    return renewals.length === 1 ? route.abort('connectionreset') : route.continue();
  });
  const refused: string[] = [];
  page.on('response', (answer) => void (answer.status() === 401 && refused.push(answer.url())));
  await page.getByRole('button', { name: /^Sign in with/ }).click();
  await page.getByRole('heading', { name: 'Memories' }).waitFor();
  const tokenOf = async () => page.evaluate(() => sessionStorage.getItem('loci.token'));
  const first = await tokenOf();
  await eventually('the token is renewed', async () => (await tokenOf()) !== first);
  t.deepEqual([renewals, refused], [['failed', 'answered'], []]);
});

/** An API at whose issuer Ada signs in, who is a member of these workspaces. */
async function openWithIssuer(t: ExecutionContext, names: readonly string[]) {
  const issuer = await openTokenIssuer(t);
  const keys = { jwksUrl: issuer.jwksUrl };
  const verifier = createBearerTokenVerifier({ keys, issuer: issuer.issuer, audience: AUDIENCE });
  const api = await openOwnApi(t, {
    consoleFolder: join(PROJECT_DIR, 'console'),
    access: { users: { verifier, workspacesClaim: 'workspaces' }, administratorToken: null },
    settings: {
      LOCI_JWT_JWKS_URL: issuer.jwksUrl,
      LOCI_JWT_ISSUER: issuer.issuer,
      LOCI_JWT_AUDIENCE: AUDIENCE,
      LOCI_CONSOLE_OIDC_CLIENT_ID: 'console',
      LOCI_CONSOLE_OIDC_PARAMETERS: `audience=${AUDIENCE}`,
    },
  });
  const { system } = api.services.stores;
  const workspaces = await Promise.all(names.map(async (name) => system.insertWorkspace(name)));
  issuer.server.service.on('beforeTokenSigning', (token: { payload: Record<string, unknown> }) => {
    const aud = token.payload['aud'] === 'console' ? 'console' : AUDIENCE;
    const roles = Object.fromEntries(workspaces.map((id) => [id, 'member']));
    Object.assign(token.payload, { aud, sub: 'ada', workspaces: roles });
  });
  return { issuer, api, workspaces };
}
