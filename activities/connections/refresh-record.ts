import { assertNever } from '#domain/app-error.ts';
import { nextTryS } from '#domain/connections/refresh-decision.ts';
import {
  oauthRefreshJob,
  type DueArgs,
  type DuePage,
  type ConcludedExchange,
  type RefreshResult,
  type RefreshTarget,
} from '#domain/connections/oauth-refresh.ts';
import type { Scope } from '#domain/access/scope.ts';
import { announceEvent } from '#operations/webhooks/announce-event.ts';
import type { Services } from '#operations/services.ts';
import type { Stores } from '#store/stores.ts';

/** Brings what an exchange came to into Postgres, where it is not there yet. Doing it twice is doing it once. */
export async function persistRefresh(
  services: Services,
  { workspace_id: workspaceId, outcome }: { workspace_id: string; outcome: ConcludedExchange },
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
  outcome: Extract<ConcludedExchange, { kind: 'tokens' }>,
): Promise<RefreshResult> {
  const { target, sealed, expires_at, is_assumed, due_at } = outcome;
  const isWritten =
    (await stores.refreshes.writeTokens(scope, target, { sealed, expires_at, is_assumed, due_at })) ||
    (await stores.refreshes.isWritten(scope, target));
  return { kind: isWritten ? 'refreshed' : 'superseded' };
}

/** The provider's last word on this token: not asked again until there is another one, or somebody asks. */
async function persistRefusal(
  stores: Stores,
  scope: Scope,
  { target, status, code }: Extract<ConcludedExchange, { kind: 'refused' }>,
): Promise<RefreshResult> {
  const noted = await stores.refreshes.noteFailure(scope, target, { code, state: 'refused' });
  if (!noted) return changedMeanwhile(stores, scope, target);
  // First the connection, then its credentials: in the order in which new ones are put.
  await showStatus(stores, scope, { target, status, code });
  await stores.refreshes.setDue(scope, target.credential_id, null);
  return { kind: 'refused', status, code };
}

async function persistFailure(
  stores: Stores,
  scope: Scope,
  outcome: Extract<ConcludedExchange, { kind: 'unavailable' }>,
): Promise<RefreshResult> {
  const { target, code, is_unknown: isUnknown, retry_after_s } = outcome;
  const state = isUnknown ? 'sending' : 'unavailable';
  const noted = await stores.refreshes.noteFailure(scope, target, { code, state });
  if (!noted) return changedMeanwhile(stores, scope, target);
  const inSeconds = Math.max(nextTryS(noted.failing_s, Math.random()), retry_after_s ?? 0);
  await stores.refreshes.setDue(scope, target.credential_id, inSeconds);
  // Not given up, but whoever relies on the connection has to know.
  if (noted.is_lasting) await showStatus(stores, scope, { target, status: 'error', code });
  return { kind: 'unavailable', code, retry_after_s };
}

/** A stalled attempt of this very run may have written before; else somebody put new credentials. */
async function changedMeanwhile(stores: Stores, scope: Scope, target: RefreshTarget): Promise<RefreshResult> {
  return { kind: (await stores.refreshes.isWritten(scope, target)) ? 'refreshed' : 'superseded' };
}

/** Says it in the connection, and tells the webhooks of it when that is new. */
async function showStatus(
  stores: Stores,
  scope: Scope,
  { target, status, code }: { target: RefreshTarget; status: 'expired' | 'error'; code: string },
): Promise<void> {
  const changed = await stores.refreshes.setStatus(scope, target.connection_id, status);
  if (!changed) return;
  const { integration, user_id } = changed;
  await announceEvent(stores, scope, {
    type: `connection.${status}`,
    data: { connection_id: target.connection_id, integration, user_id, status, reason: code },
  });
}

const DUE_AT_ONCE = 200;

/** Starts the runs of what is due, in whichever workspace; those under way already go on as they are. */
export async function startDueRefreshes(services: Services, { workspace_id: workspaceId }: DueArgs): Promise<DuePage> {
  const due = await services.stores.system.takeDueRefreshes({ workspaceId, limit: DUE_AT_ONCE });
  await services.stores.system.purgeOAuthStates();
  await startAll(services, due);
  return { started: due.length, more: due.length === DUE_AT_ONCE };
}

const STARTS_AT_ONCE = 10;

async function startAll(services: Services, due: readonly { workspace_id: string; connection_id: string }[]) {
  const left = due.values();
  const starting = Array.from({ length: STARTS_AT_ONCE }, async () => {
    for (const refresh of left) await services.jobs.startOrJoin(oauthRefreshJob(refresh));
  });
  await Promise.all(starting);
}
