import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { Collection, CreateCollectionRequest } from '#domain/records/collection.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import { chooseEmbedder } from './choose-embedder.ts';
import { getCollection } from './collections.ts';
import { parentNotFound } from './update-collection.ts';
import type { Services } from '#operations/services.ts';

/**
 * Creates a collection. Its tenant in the index is created with the first content.
 * @throws AppError `forbidden` for an API key that is restricted to certain collections; `not_found` for the parent;
 *   `validation_failed` for an embedder that is not configured.
 */
export async function createCollection(
  services: Services,
  caller: Caller,
  request: { body: CreateCollectionRequest; idempotency: Idempotency | null },
): Promise<Answer<Collection>> {
  const { body, idempotency } = request;
  // Users (members) may be restricted to their collections, too, but they get access to the collections that they create.
  if (caller.scope.collectionIds !== null && caller.userId === null) {
    throw new AppError('forbidden', 'This API key is restricted to certain collections and cannot create others.');
  }
  const embedder = chooseEmbedder(services, body.embedding);
  return withIdempotency(services, caller, {
    route: 'POST /collections',
    idempotency,
    effect: async (stores) => {
      if (body.parent_id !== null && !(await stores.collections.findIndex(caller.scope, body.parent_id)))
        throw parentNotFound();
      const id = await stores.collections.insert(
        caller.scope,
        { ...body, createdBy: caller.principal },
        embedder.space,
      );
      return { status: 201, body: await getCollection({ ...services, stores }, withCollectionInScope(caller, id), id) };
    },
  });
}

function withCollectionInScope(caller: Caller, id: string): Caller {
  const { collectionIds } = caller.scope;
  return { ...caller, scope: { ...caller.scope, collectionIds: collectionIds && [...collectionIds, id] } };
}
