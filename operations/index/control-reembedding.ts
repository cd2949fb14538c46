import { AppError, assertNever } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { reembedWorkflowId } from '#domain/index/reembed-job.ts';
import type { Reembedding } from '#domain/records/reindexing.ts';
import type { ReembeddingStatus } from '#domain/statuses.ts';
import type { ControlAction } from '#domain/uploads/ingest-jobs.ts';
import type { Stores } from '#store/stores.ts';
import { collectionNotFound } from '#operations/collections/collections.ts';
import { withIdempotency, type Idempotency } from '#operations/idempotency.ts';
import { enqueueWakeUps, sendWakeUps } from '#operations/jobs/wake-ups.ts';
import type { Services } from '#operations/services.ts';
import { neverReembedded } from './reembed-collection.ts';

type Control = { collectionId: string; action: ControlAction; idempotency: Idempotency | null };

/**
 * Pauses, resumes or cancels the re-embedding of a collection; repeating it changes nothing. While it is paused, uploads write only to
 * the index that is searched.
 * @throws AppError `not_found`; `conflict` when it is over, or the new index is already searched.
 */
export async function controlReembedding(
  services: Services,
  caller: Caller,
  { collectionId, action, idempotency }: Control,
): Promise<Reembedding> {
  let wakes: Awaited<ReturnType<typeof enqueueWakeUps>> = [];
  const { body } = await withIdempotency<Reembedding>(services, caller, {
    route: `POST /collections/${collectionId}/reembed/${action}`,
    idempotency,
    effect: async (stores) => {
      if (!(await stores.collections.findIndex(caller.scope, collectionId))) throw collectionNotFound();
      const found = await stores.reembeddings.lock(caller.scope, collectionId);
      if (!found) throw neverReembedded();
      await change(stores, caller, { found, action });
      const workflowId = await stores.outbox.findWorkflowId(caller.scope, reembedWorkflowId(found.id));
      wakes = await enqueueWakeUps(stores, caller.scope, [workflowId]);
      return { status: 200, body: (await stores.reembeddings.find(caller.scope, collectionId)) ?? found };
    },
  });
  sendWakeUps(services, wakes);
  return body;
}

const CHANGES: Readonly<Record<ControlAction, { from: readonly ReembeddingStatus[]; to: ReembeddingStatus }>> = {
  pause: { from: ['pending', 'building'], to: 'paused' },
  resume: { from: ['paused'], to: 'pending' },
  cancel: { from: ['pending', 'building', 'paused'], to: 'cancelling' },
};

async function change(
  stores: Stores,
  { scope }: Caller,
  { found, action }: { found: Reembedding; action: ControlAction },
): Promise<void> {
  if (isInEffect(action, found)) return;
  if (!(await stores.reembeddings.setStatus(scope, found.id, { ...CHANGES[action], message: null }))) {
    const now =
      found.status === 'switched' ? 'searches use the new index already' : `the re-embedding is ${found.status}`;
    throw new AppError('conflict', `Too late to ${action}: ${now}.`);
  }
  // From now on nothing is written to it.
  if (action === 'cancel') await stores.generations.retireBuilding(scope, found.collection_id);
}

function isInEffect(action: ControlAction, { status }: Reembedding): boolean {
  switch (action) {
    case 'pause':
      return status === 'paused';
    case 'resume':
      return status === 'pending' || status === 'building';
    case 'cancel':
      return status === 'cancelling' || status === 'cancelled';
    default:
      return assertNever(action);
  }
}
