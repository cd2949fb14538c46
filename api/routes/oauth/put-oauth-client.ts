import { OAuthClient, PutOAuthClientRequest } from '#domain/records/oauth.ts';
import { putOAuthClient } from '#operations/connections/oauth-clients.ts';
import { route } from '#api/http/route.ts';
import { OAuthClientParams } from '#api/routes/path-params.ts';

export const putOAuthClientRoute = route(
  {
    method: 'put',
    path: '/oauth/clients/{provider}',
    tag: 'OAuth',
    summary: 'Put the client of a provider',
    description:
      'Under which the workspace is known to the provider, for all of its connections that have no client of their own. Replaces the one before as a whole. To name endpoints takes `connections:reveal` as well, for secrets are sent there.',
    permission: 'workspaces:write',
    params: OAuthClientParams,
    body: PutOAuthClientRequest,
    response: OAuthClient,
    extension: true,
    examples: {
      body: { client_id: 'loci', client_secret: '…', scope: 'https://www.googleapis.com/auth/drive.readonly' },
    },
  },
  async ({ services, caller, params, body }) => putOAuthClient(services, caller, { provider: params.provider, body }),
);
