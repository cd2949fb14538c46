import { ApiKey } from '#domain/records/api-key.ts';
import { getApiKey } from '#operations/access/api-keys.ts';
import { route } from '#api/http/route.ts';
import { ApiKeyParams } from '#api/routes/path-params.ts';

export const getApiKeyRoute = route(
  {
    method: 'get',
    path: '/api-keys/{api_key_id}',
    tag: 'API keys',
    summary: 'Get an API key',
    permission: 'api-keys:read',
    params: ApiKeyParams,
    response: ApiKey,
    extension: true,
  },
  async ({ services, caller, params }) => getApiKey(services, caller, params.api_key_id),
);
