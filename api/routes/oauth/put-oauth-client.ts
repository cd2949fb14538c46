import { OAuthClient, PutOAuthClientRequest } from '#domain/records/oauth.ts';
import { putOAuthClient } from '#operations/connections/oauth-clients.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';
import { OAuthClientParams } from '#api/routes/path-params.ts';

export const putOAuthClientRoute = route(
  {
    method: 'put',
    path: '/oauth/clients/{provider}',
    tag: 'OAuth',
    summary: 'Create or replace the OAuth client of a provider',
    description:
      'Sets the OAuth client that all connections of the workspace to this provider use, unless they have their own. An existing client is replaced as a whole. Setting endpoints also requires `connections:reveal`, because secrets are sent to them.',
    permission: 'workspaces:write',
    params: OAuthClientParams,
    body: PutOAuthClientRequest,
    response: OAuthClient,
    extension: true,
    idempotent: true,
  },
  async ({ services, caller, params, body, idempotency }) => {
    const client = { provider: params.provider, body, idempotency };
    return Reply.json((await putOAuthClient(services, caller, client)).body);
  },
);
