import { z } from 'zod';
import { deleteOAuthClient } from '#operations/connections/oauth-clients.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';
import { OAuthClientParams } from '#api/routes/path-params.ts';

export const deleteOAuthClientRoute = route(
  {
    method: 'delete',
    path: '/oauth/clients/{provider}',
    tag: 'OAuth',
    summary: 'Delete the OAuth client of a provider',
    description: 'Connections that use it go to `error` at their next refresh.',
    permission: 'workspaces:write',
    params: OAuthClientParams,
    response: z.null(),
    status: 204,
    extension: true,
  },
  async ({ services, caller, params }) => {
    await deleteOAuthClient(services, caller, params.provider);
    return Reply.noContent();
  },
);
