import { AppError, validationError, type ValidationIssue } from '#domain/app-error.ts';
import { holdsPermissions, type Caller } from '#domain/access/caller.ts';
import { ipAllowListProblem, isIpListWithin } from '#security/ip-allow-list.ts';
import type { ApiKeyLimits } from '#store/access/api-keys.ts';
import type { Services } from '#operations/services.ts';

const UNLIMITED = { collections: null, ip_whitelist: null, expires_at: null };

/** What the caller itself may do at most. A user's reach is that of the membership; a key has its own limits. */
export async function apiKeyLimitsOf(services: Services, caller: Caller): Promise<ApiKeyLimits> {
  const permissions = [...caller.permissions];
  const { collectionIds } = caller.scope;
  if (caller.apiKeyId === null) return { ...UNLIMITED, permissions, collections: collectionIds && [...collectionIds] };
  const own = await services.stores.apiKeys.find(caller.scope, caller.apiKeyId);
  if (!own) throw new AppError('unauthorized', 'This key was removed meanwhile.');
  return own;
}

/**
 * A key never grants more than whoever makes, changes or rotates it has: what it may do, what it reaches, from where, and how
 * long. Else a weak key could make itself a strong one.
 * @throws AppError `forbidden` saying which part goes too far.
 */
export function requireWithinLimits(caller: Caller, own: ApiKeyLimits, wanted: ApiKeyLimits): void {
  if (!holdsPermissions(caller, wanted.permissions)) throw exceedsLimits('has permissions that you lack');
  const { collections } = wanted;
  if (own.collections !== null && !collections?.every((id) => own.collections?.includes(id)))
    throw exceedsLimits('reaches collections that you do not reach');
  if (own.ip_whitelist !== null && !(wanted.ip_whitelist && isIpListWithin(wanted.ip_whitelist, own.ip_whitelist)))
    throw exceedsLimits('is usable from addresses that yours is not usable from');
  if (own.expires_at !== null && !(wanted.expires_at !== null && wanted.expires_at <= own.expires_at))
    throw exceedsLimits('is usable longer than yours');
}

function exceedsLimits(what: string): AppError {
  return new AppError('forbidden', `A key cannot grant more than whoever makes or changes it has: this one ${what}.`);
}

/** What is wrong with these values in themselves. @throws AppError `validation_failed` with every problem. */
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
  throw new AppError('not_found', 'At least one of the ids in collections names no collection that you reach.');
}

/** The same instant as the store will give it back. */
export function toStoredTime(time: string | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
