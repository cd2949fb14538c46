import { assertNever } from '#domain/app-error.ts';
import { scheduleRetryDelayS } from '#domain/connections/refresh-decision.ts';
import type { SentExchange, RefreshResult, RefreshTarget } from '#domain/connections/oauth-refresh.ts';
import { CONNECTION_STATUSES, type Connection } from '#domain/records/connection.ts';
import { workspaceScope, type Scope } from '#domain/access/scope.ts';
import { announceEvent } from '#operations/webhooks/announce-event.ts';
import type { Services } from '#operations/services.ts';
import type { Stores } from '#store/stores.ts';

/** Stores the outcome of an exchange in Postgres unless it is stored already. Idempotent. */
export async function persistRefresh(
  services: Services,
  args: { workspace_id: string; outcome: SentExchange },
): Promise<RefreshResult> {
  const scope = workspaceScope(args);
  const { outcome } = args;
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

/** The provider refused the token: the schedule does not retry it until there are new credentials or a client refreshes it. */
async function persistRefusal(
  stores: Stores,
  scope: Scope,
  { target, status, code }: Extract<SentExchange, { kind: 'refused' }>,
): Promise<RefreshResult> {
  await lockConnection(stores, scope, target);
  const recorded = await stores.credentialRefreshes.recordFailure(scope, target, { code, state: 'refused' });
  if (!recorded) return resultOfOtherVersion(stores, scope, target);
  // One that was set to `inactive` stays so: later credentials would activate a connection that is `expired` or in `error`.
  const from = CONNECTION_STATUSES.filter((current) => current !== 'inactive');
  await changeStatus(stores, scope, { target, from, to: status, code });
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
  await lockConnection(stores, scope, target);
  const recorded = await stores.credentialRefreshes.recordFailure(scope, target, { code, state });
  if (!recorded) return resultOfOtherVersion(stores, scope, target);
  const inSeconds = Math.max(scheduleRetryDelayS(recorded.failing_s, Math.random()), retry_after_s ?? 0);
  await stores.credentialRefreshes.setDue(scope, target.credential_id, inSeconds);
  // Retries continue, but users of the connection must be able to see the problem. A provider that is away says nothing new about
  // a grant that it has refused before.
  if (recorded.is_lasting)
    await changeStatus(stores, scope, { target, from: ['active', 'testing'], to: 'error', code });
  return { kind: 'unavailable', code, retry_after_s };
}

/**
 * Locks the connection, as those who store new credentials do, and before the credentials as they do: credentials that arrive
 * after the failure is recorded set its status, and nothing that is about the old ones follows.
 */
async function lockConnection(stores: Stores, scope: Scope, { connection_id: id }: RefreshTarget): Promise<void> {
  await stores.connections.lock(scope, id, { ownerId: null });
}

/** The version has changed: either a stalled attempt of this run stored its tokens, or a client stored new credentials. */
async function resultOfOtherVersion(stores: Stores, scope: Scope, target: RefreshTarget): Promise<RefreshResult> {
  return { kind: (await stores.credentialRefreshes.isWritten(scope, target)) ? 'refreshed' : 'superseded' };
}

type StatusChange = {
  target: RefreshTarget;
  from: readonly Connection['status'][];
  to: 'expired' | 'error';
  code: string;
};

/** Changes the status of a connection, and announces the change to webhooks once. */
async function changeStatus(stores: Stores, scope: Scope, { target, from, to, code }: StatusChange): Promise<void> {
  const changed = await stores.credentialRefreshes.setStatus(scope, target.connection_id, { from, to });
  if (!changed) return;
  const { integration, user_id } = changed;
  await announceEvent(stores, scope, {
    type: `connection.${to}`,
    data: { connection_id: target.connection_id, integration, user_id, status: to, reason: code },
  });
}
