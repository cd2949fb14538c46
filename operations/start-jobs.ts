import type { JobStart } from '../domain/jobs.ts';
import type { Scope } from '../domain/scope.ts';
import type { Services } from './services.ts';

/**
 * Tries to start work whose outbox rows are committed, without making the caller wait. A start that fails is no loss:
 * the worker's outbox loop does it.
 */
export function startJobs(services: Services, scope: Scope, jobs: readonly JobStart[]): void {
  for (const job of jobs) {
    services.jobs
      .start(job)
      .then(() => services.stores.outbox.markStarted(scope, job.workflow_id))
      .catch((error: unknown) => {
        services.log.warn(
          { error, workflow_id: job.workflow_id },
          'a workflow could not be started at once; the outbox will',
        );
      });
  }
}

/** Wakes workflows that wait, e.g. after a resume or a cancel. Row state decides; a lost signal only costs time. */
export function wakeJobs(services: Services, workflowIds: readonly (string | null)[]): void {
  for (const workflowId of new Set(workflowIds)) {
    if (workflowId === null) continue;
    services.jobs.signal(workflowId, 'wake').catch((error: unknown) => {
      services.log.info({ error, workflow_id: workflowId }, 'a workflow could not be woken; it looks again by itself');
    });
  }
}
