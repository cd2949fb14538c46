import { workspaceScope } from '#domain/access/scope.ts';
import type { RunKey } from '#domain/uploads/ingest-jobs.ts';
import { finishRun } from '#operations/uploads/finish-run.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/** Completes the outbox row of a run. Contents of the run that still count as in progress fail. */
export async function settleRun(services: WorkerServices, run: RunKey & { outbox_id: string }): Promise<void> {
  await finishRun(services, run);
}

/** Completes the outbox row of work that needs nothing else at its end. */
export async function settleOutbox(
  services: WorkerServices,
  work: { workspace_id: string; outbox_id: string },
): Promise<void> {
  await services.stores.outbox.complete(workspaceScope(work), work.outbox_id);
}
