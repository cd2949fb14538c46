import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { embedderName, type Embedder } from '#domain/embedder.ts';
import type { JobStart } from '#domain/jobs.ts';
import { reembedJob } from '#domain/index/reembed-job.ts';
import { serializeSpace } from '#domain/memories/memory-index.ts';
import type { Reembedding, ReembedRequest } from '#domain/records/reindexing.ts';
import type { Stores } from '#store/stores.ts';
import { chooseEmbedder } from '#operations/collections/choose-embedder.ts';
import { collectionNotFound } from '#operations/collections/collections.ts';
import { collectionArchived } from '#operations/collections/update-collection.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';
import type { Services } from '#operations/services.ts';

type Change = { collectionId: string; body: ReembedRequest; idempotency: Idempotency | null };

/**
 * Starts to change the embedder of a collection: a workflow builds an index beside the present one and switches to it. Status 200
 * when the collection has the embedder already.
 * @throws AppError `not_found`; `conflict` when the collection is archived or its embedder is being changed; `validation_failed` for
 *   an embedder that is not configured.
 */
export async function reembedCollection(
  services: Services,
  caller: Caller,
  { collectionId, body, idempotency }: Change,
): Promise<Answer<Reembedding>> {
  const embedder = chooseEmbedder(services, body.embedding);
  const jobs: JobStart[] = [];
  const answer = await withIdempotency<Reembedding>(services, caller, {
    route: `POST /collections/${collectionId}/reembed`,
    idempotency,
    effect: async (stores) => {
      const status = await stores.collectionChanges.lock(caller.scope, collectionId);
      if (status === null) throw collectionNotFound();
      if (status === 'archived') throw collectionArchived();
      const started = await begin(stores, caller, { collectionId, embedder });
      if (started.status === 'completed') return { status: 200, body: started };
      const { workspaceId: workspace_id } = caller.scope;
      jobs.push(reembedJob({ workspace_id, collection_id: collectionId, reembedding_id: started.id }));
      await stores.outbox.add(caller.scope, jobs);
      return { status: 202, body: started };
    },
  });
  startWorkflows(services, jobs);
  return answer;
}

/** Adds the re-embedding and the generation that it builds. The collection is locked. */
async function begin(
  stores: Stores,
  caller: Caller,
  { collectionId, embedder }: { collectionId: string; embedder: Embedder },
): Promise<Reembedding> {
  const { scope, principal: createdBy } = caller;
  const open = await stores.reembeddings.find(scope, collectionId);
  if (open && open.completed_at === null) throw alreadyRunning(open);
  const active = (await stores.generations.list(scope, collectionId)).find(({ status }) => status === 'active');
  if (!active) throw collectionNotFound();
  const [from, to] = [active.space, embedder.space];
  const isSame = serializeSpace(from) === serializeSpace(to);
  const nothingToDo = isSame ? `The collection is embedded with ${embedderName(to)} already: nothing to do.` : null;
  const number = isSame ? active.number : await stores.reembeddings.nextGeneration(scope, collectionId);
  const record = { collectionId, from, to, createdBy, generation: number, nothingToDo };
  const inserted = await stores.reembeddings.insert(scope, record);
  if (!inserted) throw new AppError('conflict', 'The embedder of this collection is being changed; try again.');
  if (!isSame) await stores.generations.insertBuilding(scope, { collectionId, number, space: to });
  return inserted;
}

function alreadyRunning({ id, status, to }: Reembedding): AppError {
  return new AppError(
    'conflict',
    `The embedder of this collection is being changed to ${embedderName(to)} by re-embedding ${id}, which is ${status}. ` +
      'Wait for its end, or cancel it: POST /collections/{collection_id}/reembed/cancel.',
  );
}

/** Returns the re-embedding that is in progress, or the last one. @throws AppError `not_found`, also when there was none. */
export async function getReembedding(services: Services, caller: Caller, collectionId: string): Promise<Reembedding> {
  if (!(await services.stores.collections.findIndex(caller.scope, collectionId))) throw collectionNotFound();
  const found = await services.stores.reembeddings.find(caller.scope, collectionId);
  if (!found) throw neverReembedded();
  return found;
}

export function neverReembedded(): AppError {
  return new AppError('not_found', 'The embedder of this collection was never changed.');
}
