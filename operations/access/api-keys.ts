import { AppError, validationError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { ApiKey, ApiKeyList, CreateApiKeyRequest, UpdateApiKeyRequest } from '#domain/records/api-key.ts';
import type { Services } from '#operations/services.ts';
import { z } from 'zod';
import { decodePosition } from '#domain/cursor.ts';
import { paginate } from '#operations/paginate.ts';
import { generateApiKey, hashApiKey } from '#security/api-key.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import {
  toStoredTime,
  checkApiKeyValues,
  apiKeyLimitsOf,
  issuerLimitsOf,
  requireCollections,
  requireWithinLimits,
} from './api-key-limits.ts';
import type { Stores } from '#store/stores.ts';

/** Returns a key without its secret. @throws AppError `not_found`. */
export async function getApiKey(services: Services, caller: Caller, id: string): Promise<ApiKey> {
  const found = await services.stores.apiKeys.find(caller.scope, id);
  if (!found) throw apiKeyNotFound();
  return found;
}

/** One error for keys that do not exist, belong to another workspace, or reach more than the caller does. */
function apiKeyNotFound(): AppError {
  return new AppError('not_found', 'There is no such API key, or you do not reach it.');
}

export type ListApiKeysQuery = {
  skip?: number | undefined;
  limit: number;
  page?: number | undefined;
  cursor?: string | undefined;
};

const BINDING = { list: 'api-keys', filters: {} };

/** Microseconds and id of the last row, and the number of rows up to it. */
const Position = z.tuple([z.int(), z.uuid(), z.int().min(1)]);

/**
 * Returns a page of the keys in reach, oldest first, selected by cursor, page number or skip. The result has both the next
 * cursor and the next page number.
 * @throws AppError `validation_failed` for a foreign cursor, for more than one of the three, or for keys that are too large for one
 *   page and are not selected by cursor.
 */
export async function listApiKeys(services: Services, caller: Caller, query: ListApiKeysQuery): Promise<ApiKeyList> {
  requireOnePosition(query);
  const { limit } = query;
  const position = decodePosition(BINDING, query.cursor, Position);
  const after = position && { createdUs: position[0], id: position[1] };
  const skip = query.skip ?? ((query.page ?? 1) - 1) * limit;
  const { apiKeys } = services.stores;
  const [rows, totalCount] = await Promise.all([
    apiKeys.list(caller.scope, { after, skip, limit }),
    apiKeys.count(caller.scope),
  ]);
  // Whoever counts rows would miss those that such a page does not have.
  const isShort = rows.hasMore && rows.rows.length < limit;
  if (isShort && (query.skip ?? query.page) !== undefined) throw tooLarge(rows.rows.length);
  const rowsBefore = position?.[2] ?? skip;
  const pageNumber = Math.floor(rowsBefore / limit) + 1;
  const { page, next } = paginate(rows, {
    binding: BINDING,
    positionOf: (row) => [row.createdUs, row.apiKey.id, rowsBefore + rows.rows.length],
  });
  return {
    data: page.map((row) => row.apiKey),
    total_count: totalCount,
    page: pageNumber,
    limit,
    // After a skip that is not a multiple of the page size, the next page number would repeat some rows.
    next_page: next.has_more && !isShort && rowsBefore % limit === 0 ? pageNumber + 1 : null,
    ...next,
  };
}

function tooLarge(fitting: number): AppError {
  const msg = `Only ${fitting} of these keys fit into a page: ask for fewer, or follow next_cursor without skip and page`;
  return validationError([{ loc: ['query', 'limit'], msg, type: 'too_big' }]);
}

function requireOnePosition({ skip, page, cursor }: ListApiKeysQuery): void {
  const given = Object.entries({ skip, page, cursor }).filter(([, value]) => value !== undefined);
  if (given.length <= 1) return;
  const msg = 'Send only one of skip, page and cursor';
  throw validationError(given.map(([name]) => ({ loc: ['query', name], msg, type: 'conflicting' })));
}

/**
 * Creates a key in the caller's workspace. Its secret is in this response only. Limits that are omitted are those of the
 * caller.
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
      const own = await apiKeyLimitsOf(inside, caller);
      if (body.collections) await requireCollections(inside, caller, body.collections);
      const wanted = {
        permissions: body.permissions,
        collections: body.collections === undefined ? own.collections : body.collections,
        ip_whitelist: body.ip_whitelist === undefined ? own.ip_whitelist : body.ip_whitelist,
        expires_at: body.expires_at === undefined ? own.expires_at : toStoredTime(body.expires_at),
      };
      requireWithinLimits({ caller, own, issuer: await issuerLimitsOf(inside, caller) }, wanted);
      const { id: key, secret } = generateApiKey();
      const hashedSecret = hashApiKey(secret, services.secrets.apiKeyPepper);
      const record = { ...wanted, label: body.label, key, hashedSecret, createdBy: caller.principal };
      return { status: 201, body: { ...(await stores.apiKeys.insert(caller.scope, record)), secret } };
    },
  });
}

/**
 * Changes the fields that were sent. The caller must have everything that the key grants, before and after the change.
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
    const { limits, key } = await lockChangeableKey(inside, caller, id);
    // Collections that were deleted meanwhile may stay listed; added ones must exist.
    const added = (body.collections ?? []).filter((each) => !key.collections?.includes(each));
    if (added.length > 0) await requireCollections(inside, caller, added);
    const wanted = {
      label: body.label === undefined ? key.label : body.label,
      permissions: body.permissions ?? key.permissions,
      collections: body.collections === undefined ? key.collections : body.collections,
      ip_whitelist: body.ip_whitelist === undefined ? key.ip_whitelist : body.ip_whitelist,
      expires_at: body.expires_at === undefined ? key.expires_at : toStoredTime(body.expires_at),
    };
    requireWithinLimits(limits, wanted);
    return orNotFound(await stores.apiKeys.update(caller.scope, id, wanted));
  });
}

/**
 * Gives a key a new secret, which is in this response only. The old secret stops working at once; everything else stays.
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
      const { key } = await lockChangeableKey({ ...services, stores }, caller, id);
      const { secret } = generateApiKey(key.key);
      const hashedSecret = hashApiKey(secret, services.secrets.apiKeyPepper);
      const rotated = orNotFound(await stores.apiKeys.replaceSecret(caller.scope, id, hashedSecret));
      return { status: 200, body: { ...rotated, secret } };
    },
  });
}

/** Revokes a key at once and for ever; its record stays, with the status `revoked`. @throws AppError `not_found`. */
export async function revokeApiKey(services: Services, caller: Caller, id: string): Promise<void> {
  if (!(await services.stores.apiKeys.revoke(caller.scope, id))) throw apiKeyNotFound();
}

async function lockChangeableKey(services: Services & { stores: Stores }, caller: Caller, id: string) {
  const key = orNotFound(await services.stores.apiKeys.lock(caller.scope, id));
  const own = await apiKeyLimitsOf(services, caller);
  // The key of a sign-in may outlast itself with other keys, but stays short-lived, because a browser has it.
  const issuer = id === caller.apiKeyId ? null : await issuerLimitsOf(services, caller);
  const limits = { caller, own, issuer };
  requireWithinLimits(limits, key);
  if (key.status === 'revoked') {
    throw new AppError('conflict', 'This key is revoked and cannot be restored; create another one.');
  }
  return { limits, key };
}

function orNotFound(key: ApiKey | null): ApiKey {
  if (!key) throw apiKeyNotFound();
  return key;
}
