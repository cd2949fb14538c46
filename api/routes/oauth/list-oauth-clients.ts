import { OAuthClientList } from '#domain/records/oauth.ts';
import { listOAuthClients } from '#operations/connections/oauth-clients.ts';
import { route } from '#api/http/route.ts';

export const listOAuthClientsRoute = route(
  {
    method: 'get',
    path: '/oauth/clients',
    tag: 'OAuth',
    summary: 'List OAuth clients',
    description: 'Lists all OAuth clients of the workspace, without their secrets.',
    permission: 'workspaces:read',
    response: OAuthClientList,
    extension: true,
  },
  async ({ services, caller }) => listOAuthClients(services, caller),
);
