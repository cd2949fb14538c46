import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { ApiKey, UpdateApiKeyRequest } from '#domain/records/api-key.ts';
import { generateApiKey, hashApiKey } from '#security/api-key.ts';
import type { Stores } from '#store/stores.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import { asStoredTime, checkApiKeyValues, limitsOf, requireCollections, requireWithin } from './api-key-limits.ts';
import { apiKeyNotFound } from './get-api-key.ts';
import type { Services } from '#operations/services.ts';

/**
 * Changes the fields that were sent. Who changes a key has to have all that it grants, before and after.
 * @throws AppError `not_found`, `forbidden`, `conflict` for a revoked key, `validation_failed`.
 */
export async function updateApiKey(
  services: Services,
  caller: Caller,
  request: { id: string; body: UpdateApiKeyRequest },
): Promise<ApiKey> {
  const { id, body } = request;
  checkApiKeyValues(services, body);
  return services.stores.transaction(async (stores) => {
    const inside = { ...services, stores };
    const { own, key } = await lockWithin(inside, caller, id);
    // Collections that are gone meanwhile may stay listed; those that are added have to be there.
    const added = (body.collections ?? []).filter((each) => !key.collections?.includes(each));
    if (added.length > 0) await requireCollections(inside, caller, added);
    const wanted = {
      label: body.label === undefined ? key.label : body.label,
      permissions: body.permissions ?? key.permissions,
      collections: body.collections === undefined ? key.collections : body.collections,
      ip_whitelist: body.ip_whitelist === undefined ? key.ip_whitelist : body.ip_whitelist,
      expires_at: body.expires_at === undefined ? key.expires_at : asStoredTime(body.expires_at),
    };
    requireWithin(caller, own, wanted);
    return orNotFound(await stores.apiKeys.update(caller.scope, id, wanted));
  });
}

/**
 * Gives a key a new secret, in this answer and nowhere else; the old one stops with it. Everything else stays.
 * @throws AppError `not_found`, `forbidden` for a key that grants more than the caller has, `conflict` for a revoked key.
 */
export async function rotateApiKey(
  services: Services,
  caller: Caller,
  request: { id: string; idempotency: Idempotency | null },
): Promise<Answer<ApiKey>> {
  const { id, idempotency } = request;
  return withIdempotency(services, caller, {
    route: `POST /api-keys/${id}/rotate`,
    idempotency,
    effect: async (stores) => {
      const { key } = await lockWithin({ ...services, stores }, caller, id);
      const { secret } = generateApiKey(key.key);
      const hashedSecret = hashApiKey(secret, services.secrets.apiKeyPepper);
      const rotated = orNotFound(await stores.apiKeys.replaceSecret(caller.scope, id, hashedSecret));
      return { status: 200, body: { ...rotated, secret } };
    },
  });
}

/** Ends a key at once and for good; its record stays, as `revoked`. @throws AppError `not_found`. */
export async function revokeApiKey(services: Services, caller: Caller, id: string): Promise<void> {
  if (!(await services.stores.apiKeys.revoke(caller.scope, id))) throw apiKeyNotFound();
}

async function lockWithin(services: Services & { stores: Stores }, caller: Caller, id: string) {
  const key = orNotFound(await services.stores.apiKeys.lock(caller.scope, id));
  const own = await limitsOf(services, caller);
  requireWithin(caller, own, key);
  if (key.status === 'revoked') {
    throw new AppError('conflict', 'This key is revoked, which is for good: create another.');
  }
  return { own, key };
}

function orNotFound(key: ApiKey | null): ApiKey {
  if (!key) throw apiKeyNotFound();
  return key;
}
