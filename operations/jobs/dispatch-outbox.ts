import pLimit from 'p-limit';
import type { OutboxRow } from '#store/outbox/outbox-system.ts';
import type { Services } from '#operations/services.ts';

const TAKEN = 50;
/** While Temporal is away every start waits for its deadline: one after the other they would outlast their lease. */
const AT_ONCE = 10;

/** Starts acknowledged work whose workflow is not started yet. A start that fails is tried again, later and later. Returns how many were due. */
export async function dispatchOutbox(services: Services): Promise<number> {
  const due = await services.stores.system.claimDueStarts(TAKEN);
  await pLimit(AT_ONCE).map(due, async (row) => dispatch(services, row));
  return due.length;
}

async function dispatch(services: Services, row: OutboxRow): Promise<void> {
  try {
    await services.jobs.start(row);
    await services.stores.outbox.markStarted({ workspaceId: row.workspace_id, collectionIds: null }, row.workflow_id);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    services.log.warn(
      { error, workflow_id: row.workflow_id, attempt: row.attempts },
      'a workflow could not be started',
    );
    await services.stores.system.recordStartFailure(row.id, reason);
  }
}
