import { assertNever } from '#domain/app-error.ts';
import { scheduleRetryDelayS } from '#domain/connections/refresh-decision.ts';
import type { SentExchange, RefreshResult, RefreshTarget } from '#domain/connections/oauth-refresh.ts';
import type { Scope } from '#domain/access/scope.ts';
import { announceEvent } from '#operations/webhooks/announce-event.ts';
import type { Services } from '#operations/services.ts';
import type { Stores } from '#store/stores.ts';

/** Brings what an exchange came to into Postgres, where it is not there yet. Doing it twice is doing it once. */
export async function persistRefresh(
  services: Services,
  { workspace_id: workspaceId, outcome }: { workspace_id: string; outcome: SentExchange },
): Promise<RefreshResult> {
  const scope = { workspaceId, collectionIds: null };
  switch (outcome.kind) {
    case 'tokens':
      return persistTokens(services, scope, outcome);
    case 'refused':
      return services.stores.transaction((stores) => persistRefusal(stores, scope, outcome));
    case 'unavailable':
      return services.stores.transaction((stores) => persistFailure(stores, scope, outcome));
    default:
      return assertNever(outcome);
  }
}

async function persistTokens(
  { stores }: Services,
  scope: Scope,
  outcome: Extract<SentExchange, { kind: 'tokens' }>,
): Promise<RefreshResult> {
  const { target, sealed, expires_at, is_assumed, due_at } = outcome;
  const isWritten =
    (await stores.credentialRefreshes.writeTokens(scope, target, { sealed, expires_at, is_assumed, due_at })) ||
    (await stores.credentialRefreshes.isWritten(scope, target));
  return { kind: isWritten ? 'refreshed' : 'superseded' };
}

/** The provider's last word on this token: not asked again until there is another one, or somebody asks. */
async function persistRefusal(
  stores: Stores,
  scope: Scope,
  { target, status, code }: Extract<SentExchange, { kind: 'refused' }>,
): Promise<RefreshResult> {
  const noted = await stores.credentialRefreshes.recordFailure(scope, target, { code, state: 'refused' });
  if (!noted) return changedMeanwhile(stores, scope, target);
  // First the connection, then its credentials: in the order in which new ones are put.
  await showStatus(stores, scope, { target, status, code });
  await stores.credentialRefreshes.setDue(scope, target.credential_id, null);
  return { kind: 'refused', status, code };
}

async function persistFailure(
  stores: Stores,
  scope: Scope,
  outcome: Extract<SentExchange, { kind: 'unavailable' }>,
): Promise<RefreshResult> {
  const { target, code, is_unknown: isUnknown, retry_after_s } = outcome;
  const state = isUnknown ? 'sending' : 'unavailable';
  const noted = await stores.credentialRefreshes.recordFailure(scope, target, { code, state });
  if (!noted) return changedMeanwhile(stores, scope, target);
  const inSeconds = Math.max(scheduleRetryDelayS(noted.failing_s, Math.random()), retry_after_s ?? 0);
  await stores.credentialRefreshes.setDue(scope, target.credential_id, inSeconds);
  // Not given up, but whoever relies on the connection has to know.
  if (noted.is_lasting) await showStatus(stores, scope, { target, status: 'error', code });
  return { kind: 'unavailable', code, retry_after_s };
}

/** A stalled attempt of this very run may have written before; else somebody put new credentials. */
async function changedMeanwhile(stores: Stores, scope: Scope, target: RefreshTarget): Promise<RefreshResult> {
  return { kind: (await stores.credentialRefreshes.isWritten(scope, target)) ? 'refreshed' : 'superseded' };
}

/** Says it in the connection, and tells the webhooks of it when that is new. */
async function showStatus(
  stores: Stores,
  scope: Scope,
  { target, status, code }: { target: RefreshTarget; status: 'expired' | 'error'; code: string },
): Promise<void> {
  const changed = await stores.credentialRefreshes.setStatus(scope, target.connection_id, status);
  if (!changed) return;
  const { integration, user_id } = changed;
  await announceEvent(stores, scope, {
    type: `connection.${status}`,
    data: { connection_id: target.connection_id, integration, user_id, status, reason: code },
  });
}
