import { AppError, validationError, type ValidationIssue } from '#domain/app-error.ts';
import { holdsPermissions, type Caller } from '#domain/access/caller.ts';
import { ipAllowListProblem, isIpListWithin } from '#security/ip-allow-list.ts';
import type { ApiKeyLimits } from '#store/access/api-keys.ts';
import type { Services } from '#operations/services.ts';

const NO_LIMITS = { collections: null, ip_whitelist: null, expires_at: null };

/** Returns the limits of the caller itself: of a user, those of the membership; of an API key, its own. */
export async function apiKeyLimitsOf(services: Services, caller: Caller): Promise<ApiKeyLimits> {
  const permissions = [...caller.permissions];
  const { collectionIds } = caller.scope;
  if (caller.apiKeyId === null) return { ...NO_LIMITS, permissions, collections: collectionIds && [...collectionIds] };
  const own = await services.stores.apiKeys.find(caller.scope, caller.apiKeyId);
  if (!own) throw new AppError('unauthorized', 'This API key has been deleted.');
  return own;
}

/**
 * Returns the limits of the key whose sign-in code the caller's key was redeemed for; null for every other caller, and when that
 * key cannot be used any more.
 */
export async function issuerLimitsOf(services: Services, { apiKeyId, scope }: Caller): Promise<ApiKeyLimits | null> {
  return apiKeyId === null ? null : services.stores.apiKeys.findIssuer(scope, apiKeyId);
}

/** What a caller has itself, and what the key has that it was signed in with. */
export type GrantingLimits = { caller: Caller; own: ApiKeyLimits; issuer: ApiKeyLimits | null };

/**
 * Checks that a key grants no more than the caller has who creates, changes or rotates it: permissions, collections, addresses
 * and lifetime. Otherwise a limited key could create an unlimited one. The key of a sign-in expires soon only because a browser has
 * it: it may grant a longer life to what its issuer may grant (decision 0272).
 * @throws AppError `forbidden` that names the limit that is exceeded.
 */
export function requireWithinLimits({ caller, own, issuer }: GrantingLimits, wanted: ApiKeyLimits): void {
  const excess = excessOver({ ...own, permissions: [...caller.permissions] }, wanted);
  const remaining = excess === LONGER && issuer !== null ? excessOver(issuer, wanted) : excess;
  if (remaining === null) return;
  throw new AppError('forbidden', `A key cannot grant more than you have yourself: this one ${remaining}.`);
}

/**
 * Checks that a caller may grant something that has neither an expiry nor a list of addresses. A key that has either may not, except
 * that of a sign-in, if its issuer may grant all of it (decision 0272).
 * @throws AppError `forbidden` with `problem`.
 */
export async function requireLastingGrant(
  services: Services,
  caller: Caller,
  granted: Pick<ApiKeyLimits, 'permissions' | 'collections'> & { problem: string },
): Promise<void> {
  const own = await apiKeyLimitsOf(services, caller);
  if (own.expires_at === null && own.ip_whitelist === null) return;
  const issuer = own.ip_whitelist === null ? await issuerLimitsOf(services, caller) : null;
  if (issuer !== null && excessOver(issuer, { ...granted, ip_whitelist: null, expires_at: null }) === null) return;
  throw new AppError('forbidden', granted.problem);
}

const LONGER = 'is valid longer than your key';

/** Returns what a key grants that these limits do not have, the lifetime last; null when there is nothing. */
function excessOver(own: ApiKeyLimits, { permissions, collections, ip_whitelist, expires_at }: ApiKeyLimits) {
  if (!holdsPermissions(own, permissions)) return 'has permissions that you do not have';
  if (own.collections !== null && !collections?.every((id) => own.collections?.includes(id)))
    return 'reaches collections that you do not reach';
  if (own.ip_whitelist !== null && !(ip_whitelist && isIpListWithin(ip_whitelist, own.ip_whitelist)))
    return 'is valid from addresses that your key is not valid from';
  if (own.expires_at !== null && !(expires_at !== null && expires_at <= own.expires_at)) return LONGER;
  return null;
}

/** Validates the addresses and the expiry of a key. @throws AppError `validation_failed` with every problem. */
export function checkApiKeyValues(
  services: Services,
  values: { ip_whitelist?: readonly string[] | null | undefined; expires_at?: string | null | undefined },
): void {
  const issues: ValidationIssue[] = [...(values.ip_whitelist ?? []).entries()].flatMap(([index, entry]) => {
    const problem = ipAllowListProblem(entry);
    return problem === null
      ? []
      : [{ loc: ['body', 'ip_whitelist', String(index)], msg: problem, type: 'invalid_ip_range' }];
  });
  if (values.expires_at && new Date(values.expires_at) <= services.clock.now()) {
    issues.push({ loc: ['body', 'expires_at'], msg: 'must be in the future', type: 'not_in_future' });
  }
  if (issues.length > 0) throw validationError(issues);
}

/** @throws AppError `not_found` when the caller does not reach each of these collections. */
export async function requireCollections(services: Services, caller: Caller, ids: readonly string[]): Promise<void> {
  if ((await services.stores.apiKeys.countCollections(caller.scope, ids)) === ids.length) return;
  throw new AppError('not_found', 'At least one id in collections is not a collection that you reach.');
}

/** Returns a time in the format in which the store returns it. */
export function toStoredTime(time: string | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
