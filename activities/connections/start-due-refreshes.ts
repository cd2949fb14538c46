import { oauthRefreshJob, type DueRefreshesArgs, type DueRefreshesPage } from '#domain/connections/oauth-refresh.ts';
import type { Services } from '#operations/services.ts';

const BATCH_SIZE = 200;

/**
 * Starts the refresh workflows of a batch of connections that are due, which are also those whose client was refused and has been
 * replaced. Workflows that are running already are left alone.
 */
export async function startDueRefreshes(
  services: Services,
  { workspace_id: workspaceId }: DueRefreshesArgs,
): Promise<DueRefreshesPage> {
  await services.stores.system.scheduleReplacedClients({ workspaceId, limit: BATCH_SIZE });
  const due = await services.stores.system.claimDueRefreshes({ workspaceId, limit: BATCH_SIZE });
  await services.stores.system.purgeOAuthStates();
  await startAll(services, due);
  return { started: due.length, more: due.length === BATCH_SIZE };
}

const CONCURRENCY = 10;

async function startAll(services: Services, due: readonly { workspace_id: string; connection_id: string }[]) {
  const remaining = due.values();
  const starters = Array.from({ length: CONCURRENCY }, async () => {
    for (const refresh of remaining) await services.jobs.startOrJoin(oauthRefreshJob(refresh));
  });
  await Promise.all(starters);
}
