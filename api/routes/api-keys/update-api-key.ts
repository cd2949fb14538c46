import { ApiKey, UpdateApiKeyRequest } from '#domain/records/api-key.ts';
import { updateApiKey } from '#operations/access/api-keys.ts';
import { route } from '#api/http/route.ts';
import { ApiKeyParams } from '#api/routes/path-params.ts';

export const updateApiKeyRoute = route(
  {
    method: 'patch',
    path: '/api-keys/{api_key_id}',
    tag: 'API keys',
    summary: 'Update an API key',
    description:
      'Changes the fields that are sent; the change applies from the next request with the key. A later `expires_at` makes an ' +
      'expired key valid again. The caller must have everything that the key grants, before and after the change (403).',
    permission: 'api-keys:write',
    params: ApiKeyParams,
    body: UpdateApiKeyRequest,
    response: ApiKey,
    otherStatuses: { 409: 'The key is revoked' },
    extension: true,
  },
  async ({ services, caller, params, body }) => updateApiKey(services, caller, { id: params.api_key_id, body }),
);
