import pLimit from 'p-limit';
import { workspaceScope } from '#domain/access/scope.ts';
import { continueTrace } from '#observability/current-trace.ts';
import type { OutboxRow } from '#store/outbox/outbox-system.ts';
import type { Services } from '#operations/services.ts';

const BATCH_SIZE = 50;
/** While Temporal is unavailable, every start takes until its deadline; one after the other they would outlast their claim. */
const CONCURRENCY = 10;

/**
 * Starts the workflows of outbox rows that are due. A failed start is retried after a growing delay. Returns how many rows
 * were due.
 */
export async function dispatchOutbox(services: Services): Promise<number> {
  const due = await services.stores.system.claimDueStarts(BATCH_SIZE);
  await pLimit(CONCURRENCY).map(due, (row) => continueTrace(row.trace_parent, () => dispatch(services, row)));
  return due.length;
}

async function dispatch(services: Services, row: OutboxRow): Promise<void> {
  try {
    await services.jobs.start(row);
    await services.stores.outbox.markStarted(workspaceScope(row), row.workflow_id);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    services.log.warn(
      { error, workflow_id: row.workflow_id, attempt: row.attempts },
      'a workflow could not be started; it will be retried',
    );
    await services.stores.system.recordStartFailure(row.id, reason);
  }
}
