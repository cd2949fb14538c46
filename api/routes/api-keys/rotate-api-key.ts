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
      'Gives the key a new `secret`, which is shown in this answer and nowhere else; the old one stops at once. All else ' +
      'stays. Whoever rotates a key has to have all that it grants (403).',
    permission: 'api-keys:write',
    params: ApiKeyParams,
    response: ApiKey,
    otherStatuses: { 409: 'The key is revoked, or the same Idempotency-Key is in use by a request that still runs' },
    extension: true,
    idempotent: true,
  },
  async ({ services, caller, params, idempotency }) => {
    const answer = await rotateApiKey(services, caller, { id: params.api_key_id, idempotency });
    return Reply.json(answer.body, { status: answer.status });
  },
);
