import { z } from 'zod';
import { startTokenServer } from '#test/support/servers/token-server.ts';
import { canary, type Stage } from './secret-entries.ts';

const Created = z.object({ id: z.string() });

/** Uses tokens, clients and authorizations: stored, refreshed, rejected with a text of the provider, and exchanged for a code. */
export async function enterOAuth(stage: Stage): Promise<void> {
  const { ask, secrets } = stage;
  const asOwner = { headers: { 'X-API-Key': stage.workspace.key } };
  const place = (name: string) => (secrets[name] = canary('oauth'));
  const answers = [
    { status: 503, body: { error_description: place('words of a failure') } },
    {
      status: 200,
      body: { access_token: place('refreshed token'), refresh_token: place('rotated token'), scope: place('scope') },
    },
    { status: 200, body: { access_token: place('exchanged token'), refresh_token: place('first token') } },
    { status: 400, body: { error: place('error code'), error_description: place('words of a refusal') } },
    { status: 400, body: { error: 'invalid_grant', error_description: place('words of the end') } },
  ];
  const server = await startTokenServer(() => answers.shift() ?? { status: 500, body: '' });
  try {
    const oauth = { token_endpoint: server.tokenEndpoint, authorization_endpoint: server.authorizationEndpoint };
    const client = { client_id: 'loci', client_secret: place('client secret'), ...oauth };
    await ask('PUT', '/api/v1/oauth/clients/vault', { ...asOwner, json: client });
    await ask('PUT', '/api/v1/oauth/clients/vault', { ...asOwner, json: { ...client, client_id: 7 } });
    const json = {
      integration: 'vault',
      integration_type: 'api',
      credentials: { refresh_token: place('sent token') },
    };
    const { id } = Created.parse((await ask('POST', '/api/v1/connections', { ...asOwner, json })).body);
    const refresh = () => ask('POST', `/api/v1/oauth/refresh/${id}`, asOwner);
    await refresh();
    await refresh();
    await followRedirect(stage, id);
    await refresh();
    await followRedirect(stage, id);
    await ask('PATCH', `/api/v1/connections/${id}`, { ...asOwner, json: { credentials: json.credentials } });
    await refresh();
    for (const path of [`/api/v1/oauth/refresh/${id}`, '/api/v1/oauth/clients', '/api/v1/oauth/providers'])
      await ask('GET', path, asOwner);
  } finally {
    await server.close();
  }
}

/** Follows the redirect of the provider; the codes and states in the URLs are valid once. */
async function followRedirect({ ask, secrets, workspace }: Stage, id: string): Promise<void> {
  const headers = { 'X-API-Key': workspace.key };
  const { body } = await ask('POST', `/api/v1/oauth/authorize/${id}`, { headers, json: {}, mayShow: ['state'] });
  const { authorization_url } = z.object({ authorization_url: z.url() }).parse(body);
  const state = new URL(authorization_url).searchParams.get('state') ?? '';
  secrets['state'] = state;
  secrets['code'] = canary('code');
  await ask('GET', `/api/v1/oauth/callback?state=${state}&code=${secrets['code']}`, {});
}
