import type { JobStart } from '#domain/jobs.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { Services } from '#operations/services.ts';

/**
 * Tries to start work whose outbox rows are committed, without making the caller wait. A start that fails is no loss:
 * the worker's outbox loop does it.
 */
export function startWorkflows(services: Services, scope: Scope, jobs: readonly JobStart[]): void {
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
