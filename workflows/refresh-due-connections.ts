import { setCurrentDetails } from '@temporalio/workflow';
import type { DueRefreshesArgs } from '#domain/connections/oauth-refresh.ts';
import { activityProxiesFor } from './activity-proxies.ts';
import { upsertStage } from './upsert-stage.ts';

/** Pages of one run. The remaining connections wait for the next run, a minute later. */
const MAX_PAGES = 50;

/** Starts a refresh for every connection whose tokens are due. A schedule runs this workflow every minute. */
export async function refreshDueConnections(args: DueRefreshesArgs): Promise<number> {
  const { oauth } = activityProxiesFor(args.workspace_id ?? 'all');
  upsertStage('refreshing');
  let started = 0;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const summary = `Start due refreshes, page ${page}`;
    const { started: count, more } = await oauth.startDueRefreshes.executeWithOptions({ summary }, [args]);
    started += count;
    if (!more) break;
  }
  upsertStage('completed');
  setCurrentDetails(`**${started} refreshes started**`);
  return started;
}
