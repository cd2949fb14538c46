import type { Scope } from '#domain/access/scope.ts';
import type { ReindexPosition } from '#store/index/reindexings.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/**
 * `chunk` of a position in the walk over all objects, which follows the last collection; `content` is the object that was read last
 * then. A worker that does not know it takes it for a position before the chunks of a content, and writes what follows once more.
 */
const WALK = -2;
/** Sorts before every collection. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

/** Where the walk over all objects begins. */
export const START_OF_WALK: ReindexPosition = { collection: NO_ID, content: null, chunk: WALK };

/** Whether a position is in the walk over all objects. */
export function isInWalk({ chunk }: ReindexPosition): boolean {
  return chunk === WALK;
}

/** Reads the next page of objects, and has those removed that have no row. Returns the position behind them. */
export async function removeUnknownObjects(
  { stores, vectors }: Pick<WorkerServices, 'stores' | 'vectors'>,
  scope: Scope,
  at: ReindexPosition,
): Promise<ReindexPosition> {
  const { reindexings } = stores;
  const collection = at.collection && (await reindexings.findCollectionFrom(scope, at.collection));
  if (collection === null) return { collection: null, content: null, chunk: WALK };
  const found = await stores.collections.findIndex(scope, collection);
  const cursor = collection === at.collection ? at.content : null;
  const page = found && (await vectors.readObjects(found.index.space, found.index.tenant, cursor));
  if (page) await stores.unknownObjects.scheduleRemoval(scope, collection, page.objects);
  if (page?.nextCursor) return { collection, content: page.nextCursor, chunk: WALK };
  return { collection: await reindexings.findCollectionAfter(scope, collection), content: null, chunk: WALK };
}
