import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { hashApiKey, parseApiKey, verifyApiKey } from '#security/api-key.ts';
import { isIpAllowed } from '#security/ip-allow-list.ts';
import type { ApiKeyRow } from '#store/access/access-system.ts';
import type { Services } from '#operations/services.ts';
import { workspaceNotFound } from './caller-in-workspace.ts';

/** An API key with the circumstances of its request. */
export type KeyCredentials = {
  /** The API key as sent, without `Bearer`. */
  keyText: string;
  /** Address of the client. */
  ip: string;
  /** `X-Workspace-Id`, if sent. */
  workspaceId: string | null;
};

const MIN_RECORD_INTERVAL_MS = 60_000;

/**
 * Authenticates an API key. Its permissions, collections, addresses, expiry and status are read on every call.
 * @throws AppError `unauthorized` for a key that is malformed, unknown, revoked or expired (one message for all);
 *   `forbidden` for an address outside its list; `not_found` for a workspace that it does not reach.
 */
export async function authenticateKey(services: Services, credentials: KeyCredentials): Promise<Caller> {
  const parsed = parseApiKey(credentials.keyText);
  const row = parsed && (await services.stores.system.findApiKey(parsed.id));
  if (!row) {
    // The same work as for a known id, so that the duration reveals nothing.
    hashApiKey(credentials.keyText, services.secrets.apiKeyPepper);
    throw unauthorized();
  }
  const stored = { hash: row.hashed_secret, pepper: services.secrets.apiKeyPepper };
  if (!verifyApiKey(credentials.keyText, stored) || !isUsable(row, services.clock.now())) throw unauthorized();
  if (row.ip_whitelist !== null && !isIpAllowed(row.ip_whitelist, credentials.ip)) {
    throw new AppError('forbidden', 'This key may not be used from this address.');
  }
  if (credentials.workspaceId !== null && credentials.workspaceId !== row.workspace_id) {
    throw workspaceNotFound();
  }
  recordUse(services, row);
  return {
    scope: { workspaceId: row.workspace_id, collectionIds: row.collections },
    apiKeyId: row.id,
    userId: null,
    permissions: row.permissions,
    principal: `api-key/${row.key}`,
    workspaceIds: [row.workspace_id],
  };
}

function isUsable(row: ApiKeyRow, now: Date): boolean {
  return row.status === 'active' && (row.expires_at === null || row.expires_at > now);
}

function recordUse(services: Services, row: ApiKeyRow): void {
  const age = services.clock.now().getTime() - (row.last_used_at?.getTime() ?? 0);
  if (age < MIN_RECORD_INTERVAL_MS) return;
  services.stores.system.recordApiKeyUse(row.id).catch((error: unknown) => {
    services.log.warn({ error }, 'the use of an API key could not be recorded');
  });
}

function unauthorized(): AppError {
  return new AppError('unauthorized', 'The API key is missing, unknown, revoked or expired. Send it as X-API-Key.');
}
