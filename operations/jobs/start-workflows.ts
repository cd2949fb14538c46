import pLimit from 'p-limit';
import type { JobStart } from '#domain/jobs.ts';
import type { Services } from '#operations/services.ts';

/** Concurrent starts for one caller: an upload may have a thousand workflows. */
const START_CONCURRENCY = 20;

/**
 * Starts workflows whose outbox rows are committed, in the background: the caller does not wait. A failed start is logged and
 * left to the worker's outbox loop.
 */
export function startWorkflows(services: Services, jobs: readonly JobStart[]): void {
  const limit = pLimit(START_CONCURRENCY);
  for (const job of jobs) void limit(() => startWorkflow(services, job));
}

async function startWorkflow(services: Services, job: JobStart): Promise<void> {
  try {
    await services.jobs.start(job);
    services.startedWorkflows.note(job.workflow_id);
  } catch (error) {
    services.log.warn(
      { error, workflow_id: job.workflow_id },
      'a workflow could not be started at once; the outbox loop will start it',
    );
  }
}
