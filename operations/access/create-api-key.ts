import type { Caller } from '#domain/access/caller.ts';
import type { ApiKey, CreateApiKeyRequest } from '#domain/records/api-key.ts';
import { generateApiKey, hashApiKey } from '#security/api-key.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import { asStoredTime, checkApiKeyValues, limitsOf, requireCollections, requireWithin } from './api-key-limits.ts';
import type { Services } from '#operations/services.ts';

/**
 * Makes a key of the caller's workspace. Its secret is in this answer and nowhere else. Limits that are left out are the
 * caller's own.
 * @throws AppError `forbidden` for a key that grants more than the caller has, `not_found` for its collections,
 *   `validation_failed`.
 */
export async function createApiKey(
  services: Services,
  caller: Caller,
  request: { body: CreateApiKeyRequest; idempotency: Idempotency | null },
): Promise<Answer<ApiKey>> {
  const { body, idempotency } = request;
  checkApiKeyValues(services, body);
  return withIdempotency(services, caller, {
    route: 'POST /api-keys',
    idempotency,
    effect: async (stores) => {
      const inside = { ...services, stores };
      const own = await limitsOf(inside, caller);
      if (body.collections) await requireCollections(inside, caller, body.collections);
      const wanted = {
        permissions: body.permissions,
        collections: body.collections === undefined ? own.collections : body.collections,
        ip_whitelist: body.ip_whitelist === undefined ? own.ip_whitelist : body.ip_whitelist,
        expires_at: body.expires_at === undefined ? own.expires_at : asStoredTime(body.expires_at),
      };
      requireWithin(caller, own, wanted);
      const { id: key, secret } = generateApiKey();
      const hashedSecret = hashApiKey(secret, services.secrets.apiKeyPepper);
      const record = { ...wanted, label: body.label, key, hashedSecret, createdBy: caller.principal };
      return { status: 201, body: { ...(await stores.apiKeys.insert(caller.scope, record)), secret } };
    },
  });
}
