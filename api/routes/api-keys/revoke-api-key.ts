import { z } from 'zod';
import { revokeApiKey } from '#operations/access/api-keys.ts';
import { route } from '#api/http/route.ts';
import { Reply } from '#api/http/response/reply.ts';
import { ApiKeyParams } from '#api/routes/path-params.ts';

export const revokeApiKeyRoute = route(
  {
    method: 'delete',
    path: '/api-keys/{api_key_id}',
    tag: 'API keys',
    summary: 'Revoke an API key',
    description:
      'Revokes the key at once and for ever. Its record stays, with the status `revoked`. A repeated request returns 204 as well.',
    permission: 'api-keys:delete',
    params: ApiKeyParams,
    response: z.null(),
    status: 204,
    extension: true,
  },
  async ({ services, caller, params }) => {
    await revokeApiKey(services, caller, params.api_key_id);
    return Reply.noContent();
  },
);
