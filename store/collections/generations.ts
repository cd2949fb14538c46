import type { EmbeddingSpace } from '#domain/embedder.ts';
import type { Scope } from '#domain/access/scope.ts';
import { query, type Database } from '#store/postgres.ts';
import type { IndexGeneration } from './collections.ts';

/** `building`: beside the active one, not searched yet. `retired`: no longer searched, its tenant is about to be dropped. */
export type GenerationStatus = 'building' | 'active' | 'retired';

/** One of the indexes of a collection. Numbers of a collection are used once. `epoch`: see `beginEpoch`. */
export type NumberedGeneration = IndexGeneration & { number: number; status: GenerationStatus; epoch: number };

/** The index to which a run has written, as it found it before. */
export type WrittenIndex = Pick<NumberedGeneration, 'tenant' | 'epoch'>;

type Row = Omit<NumberedGeneration, 'space'> & EmbeddingSpace;

/**
 * Says, until the transaction ends, that the process writes to every index of a collection. What it publishes, counts as indexed
 * or projects is refused otherwise, once there is or was another index (`migrations/20261206_known_generations.ts`).
 */
export const KNOWS_GENERATIONS = `set_config('loci.knows_generations', 'on', true)`;

/**
 * Returns a row if the index with this tenant is the one that is searched, still in this epoch, and keeps it so until the
 * transaction ends: a switch or a new epoch waits for that; after one there is no row. To be read before rows of contents are
 * locked.
 */
export const SEARCHED_INDEX = `select ${KNOWS_GENERATIONS} from index_generations
  where collection_id = :collectionId and status = 'active' and tenant = :tenant and epoch = :epoch::int
  for key share`;

const LOCK_TIMEOUT = '2s';
const COLUMNS = 'g.number, g.status, g.tenant, g.epoch, g.provider, g.model, g.model_hash, g.dimensions';

/** The index generations of collections: the one that is searched, and while an embedder is changed another one beside it. */
export function createGenerationStore(database: Database) {
  return {
    /** Returns every generation whose tenant may have objects, unless the collection is being deleted. */
    async list(scope: Scope, collectionId: string): Promise<NumberedGeneration[]> {
      const rows = await query<Row>(
        database,
        `select ${COLUMNS} from index_generations g join collections c on c.id = g.collection_id
         where c.workspace_id = :workspaceId and c.id = :collectionId and c.status <> 'deleting'
           and (:collectionIds::uuid[] is null or c.id = any(:collectionIds::uuid[])) order by g.number`,
        { ...scope, collectionId },
      );
      return rows.map(toGeneration);
    },

    /** Adds the generation that is built, in the transaction that adds its re-embedding. */
    async insertBuilding(
      scope: Scope,
      { collectionId, number, space }: { collectionId: string; number: number; space: EmbeddingSpace },
    ): Promise<void> {
      await query(
        database,
        `insert into index_generations (workspace_id, collection_id, number, tenant, status, provider, model, model_hash,
           dimensions)
         values (:workspaceId, :collectionId::uuid, :number::int, :collectionId::text || '-' || :number::text, 'building',
           :provider, :model, :model_hash, :dimensions::int)`,
        { workspaceId: scope.workspaceId, collectionId, number, ...space },
      );
    },

    /**
     * Locks the generations of a collection until the transaction ends: nothing is published meanwhile. Publications that
     * come later wait for this, so it waits for a lock only briefly.
     * @throws AppError `dependency_unavailable` when a publication holds it longer.
     */
    async lock(scope: Scope, collectionId: string): Promise<NumberedGeneration[]> {
      await waitBriefly(database);
      const rows = await query<Row>(
        database,
        `select ${COLUMNS} from index_generations g where g.workspace_id = :workspaceId and g.collection_id = :collectionId
         order by g.number for update`,
        { workspaceId: scope.workspaceId, collectionId },
      );
      return rows.map(toGeneration);
    },

    /**
     * Begins a new epoch of the indexes of a workspace that are searched, and locks them until the transaction ends: they may
     * have lost what was written before. What workers still record or publish of what they wrote in the epoch before is refused.
     * @throws AppError `dependency_unavailable` when a publication holds a lock for long.
     */
    async beginEpoch(scope: Scope): Promise<void> {
      await waitBriefly(database);
      await query(
        database,
        `with searched as (
           select id from index_generations where workspace_id = :workspaceId and status = 'active'
           order by collection_id, number for update
         ) update index_generations g set epoch = g.epoch + 1 from searched where g.id = searched.id`,
        { workspaceId: scope.workspaceId },
      );
    },

    async setStatus(
      scope: Scope,
      { collectionId, number }: { collectionId: string; number: number },
      status: GenerationStatus,
    ): Promise<void> {
      await query(
        database,
        `update index_generations set status = :status
         where workspace_id = :workspaceId and collection_id = :collectionId and number = :number::int`,
        { workspaceId: scope.workspaceId, collectionId, number, status },
      );
    },

    /** Gives up the generation that is built: nothing more is written to it, and its tenant is about to be dropped. */
    async retireBuilding(scope: Scope, collectionId: string): Promise<void> {
      await query(
        database,
        `update index_generations set status = 'retired'
         where workspace_id = :workspaceId and collection_id = :collectionId and status = 'building'`,
        { workspaceId: scope.workspaceId, collectionId },
      );
    },

    /** Schedules the tenants of retired generations for the sweep, which drops them again for a day. */
    async scheduleDrop(scope: Scope, collectionId: string): Promise<void> {
      await query(
        database,
        `insert into dropped_tenants (tenant, workspace_id, provider, model, model_hash, dimensions)
         select tenant, workspace_id, provider, model, model_hash, dimensions from index_generations
         where workspace_id = :workspaceId and collection_id = :collectionId and status = 'retired' on conflict do nothing`,
        { workspaceId: scope.workspaceId, collectionId },
      );
    },

    async deleteRetired(scope: Scope, collectionId: string): Promise<void> {
      await query(
        database,
        `delete from index_generations
         where workspace_id = :workspaceId and collection_id = :collectionId and status = 'retired'`,
        { workspaceId: scope.workspaceId, collectionId },
      );
    },
  };
}

export type GenerationStore = ReturnType<typeof createGenerationStore>;

async function waitBriefly(transaction: Database): Promise<void> {
  await query(transaction, `select set_config('lock_timeout', :timeout, true)`, { timeout: LOCK_TIMEOUT });
}

function toGeneration({ provider, model, model_hash, dimensions, ...row }: Row): NumberedGeneration {
  return { ...row, space: { provider, model, model_hash, dimensions } };
}
