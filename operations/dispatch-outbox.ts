import type { Services } from './services.ts';

const AT_ONCE = 50;

/** Starts acknowledged work whose workflow is not started yet. A start that fails is tried again, later and later. Returns how many were due. */
export async function dispatchOutbox(services: Services): Promise<number> {
  const due = await services.stores.system.takeDueStarts(AT_ONCE);
  for (const row of due) {
    try {
      await services.jobs.start(row);
      await services.stores.outbox.markStarted({ workspaceId: row.workspace_id, collectionIds: null }, row.workflow_id);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      services.log.warn(
        { error, workflow_id: row.workflow_id, attempt: row.attempts },
        'a workflow could not be started',
      );
      await services.stores.system.noteStartFailure(row.id, reason);
    }
  }
  return due.length;
}
