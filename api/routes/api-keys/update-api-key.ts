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
      'Changes the fields that are sent, from the next request with the key on; a later `expires_at` brings an expired key ' +
      'back. Whoever changes a key has to have all that it grants, before and after (403).',
    permission: 'api-keys:write',
    params: ApiKeyParams,
    body: UpdateApiKeyRequest,
    response: ApiKey,
    otherStatuses: { 409: 'The key is revoked' },
    extension: true,
  },
  async ({ services, caller, params, body }) => updateApiKey(services, caller, { id: params.api_key_id, body }),
);
