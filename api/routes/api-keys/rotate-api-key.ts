import { ApiKey } from '#domain/records/api-key.ts';
import { rotateApiKey } from '#operations/access/api-keys.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';
import { ApiKeyParams } from '#api/routes/path-params.ts';

export const rotateApiKeyRoute = route(
  {
    method: 'post',
    path: '/api-keys/{api_key_id}/rotate',
    tag: 'API keys',
    summary: 'Rotate an API key',
    description:
      'Gives the key a new `secret`, which is not shown again; the old secret stops working at once. Everything else stays. ' +
      'The caller must have everything that the key grants (403).',
    permission: 'api-keys:write',
    params: ApiKeyParams,
    response: ApiKey,
    otherStatuses: { 409: 'The key is revoked, or a request with the same Idempotency-Key is still running' },
    extension: true,
    idempotent: true,
  },
  async ({ services, caller, params, idempotency }) => {
    const answer = await rotateApiKey(services, caller, { id: params.api_key_id, idempotency });
    return Reply.json(answer.body, { status: answer.status });
  },
);
