import { ApiKey, CreateApiKeyRequest } from '#domain/records/api-key.ts';
import { createApiKey } from '#operations/access/api-keys.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';

export const createApiKeyRoute = route(
  {
    method: 'post',
    path: '/api-keys',
    tag: 'API keys',
    summary: 'Create an API key',
    description:
      'The response has the `secret`, the whole key, which is not shown again. A key cannot grant more than the caller has ' +
      '(403); limits that are omitted are those of the caller.',
    permission: 'api-keys:write',
    body: CreateApiKeyRequest,
    response: ApiKey,
    status: 201,
    extension: true,
    idempotent: true,
  },
  async ({ services, caller, body, idempotency }) => {
    const answer = await createApiKey(services, caller, { body, idempotency });
    return Reply.json(answer.body, { status: answer.status });
  },
);
