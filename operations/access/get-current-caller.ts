import { AppError } from '#domain/app-error.ts';
import { KNOWN_PERMISSIONS, type Caller } from '#domain/access/caller.ts';
import type { CurrentCaller } from '#domain/records/access/current-caller.ts';
import { isOperator } from '#operations/get-service-facts.ts';
import type { Services } from '#operations/services.ts';
import { issuerLimitsOf } from './api-key-limits.ts';

/**
 * Returns what the caller is and may do, with `*` as the list of all permissions.
 * @param isWorkspaceNamed false for a request without `X-Workspace-Id`: a user of several workspaces may do nothing then
 */
export async function getCurrentCaller(
  services: Services,
  caller: Caller,
  { isWorkspaceNamed }: { isWorkspaceNamed: boolean },
): Promise<CurrentCaller> {
  const { principal, userId, workspaceIds } = caller;
  const who = { principal, user_id: userId, workspace_ids: [...workspaceIds] };
  if (workspaceIds.length > 1 && !isWorkspaceNamed) {
    const nothing = { workspace_id: null, permissions: [], collections: [], writable_collections: [] };
    return { ...who, ...nothing, is_operator: false, api_key: null };
  }
  const [collections, apiKey] = await Promise.all([reachedCollections(services, caller), ownKey(services, caller)]);
  const holds = (permission: string) => caller.permissions.includes('*') || caller.permissions.includes(permission);
  return {
    ...who,
    workspace_id: caller.scope.workspaceId,
    permissions: KNOWN_PERMISSIONS.filter(holds),
    ...collections,
    is_operator: isOperator(services, caller),
    api_key: apiKey,
  };
}

/** A key changes all that it reads; a member, who is limited to collections, only what it created. */
async function reachedCollections({ stores }: Services, { scope, userId, principal }: Caller) {
  if (scope.collectionIds === null) return { collections: null, writable_collections: null };
  const reached = await stores.apiKeys.listCollections(scope);
  const writable = userId === null ? reached : reached.filter(({ created_by: owner }) => owner === principal);
  return { collections: reached.map(({ id }) => id), writable_collections: writable.map(({ id }) => id) };
}

async function ownKey(services: Services, caller: Caller): Promise<CurrentCaller['api_key']> {
  const { scope, apiKeyId } = caller;
  if (apiKeyId === null) return null;
  const [key, issuer] = await Promise.all([
    services.stores.apiKeys.find(scope, apiKeyId),
    issuerLimitsOf(services, caller),
  ]);
  // Its workspace is deleted meanwhile.
  if (key === null) throw new AppError('unauthorized', 'The API key is missing, unknown, revoked or expired.');
  const { id, label, expires_at, last_used_at } = key;
  // Null is the longest.
  const max_key_expires_at = expires_at === null || issuer === null ? expires_at : issuer.expires_at;
  return { id, label, expires_at, max_key_expires_at, last_used_at };
}
