import { setCurrentDetails } from '@temporalio/workflow';
import type { DueRefreshesArgs } from '#domain/connections/oauth-refresh.ts';
import { oauthStepsFor } from './oauth-refresh.ts';
import { showStage } from './search-attributes.ts';

/** More than is due in a minute is left to the next one. */
const MOST_PAGES = 50;

/** Starts a run for every connection whose tokens are due; its schedule calls it every minute. */
export async function refreshDueConnections(args: DueRefreshesArgs): Promise<number> {
  const fairness = args.workspace_id ?? 'all';
  const { startDueRefreshes } = oauthStepsFor(fairness);
  showStage('refreshing');
  let started = 0;
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const summary = `Start what is due, page ${page}`;
    const { started: count, more } = await startDueRefreshes.executeWithOptions({ summary }, [args]);
    started += count;
    if (!more) break;
  }
  showStage('completed');
  setCurrentDetails(`**${started} refreshes started**`);
  return started;
}
