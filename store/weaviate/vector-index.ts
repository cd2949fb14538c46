import { z } from 'zod';
import type { EmbeddingSpace } from '#domain/embedder.ts';
import { createConnection, type Tenant, type VectorIndexOptions, type WeaviateConnection } from './connection.ts';
import { countObjects, fetchVectors, findNewerVersion, hasObjects, readObjects } from './read-objects.ts';
import { searchTenant } from './search.ts';
import {
  deactivateTenants,
  dropTenant,
  ensureSpace,
  ensureTenant,
  ensureTenantOnce,
  listTenants,
  tenantExists,
} from './tenants.ts';
import { createTenantUses } from './tenant-uses.ts';
import { toAppError } from './weaviate-errors.ts';
import { writeObjects, rewriteObjects, updateFacets } from './write-objects.ts';
import { deleteContent, deleteContents, deleteObjects } from './delete-objects.ts';

export type { ContentVersion, Hit, HitLeg, HitLegs, IndexSearch } from './search.ts';
export type { IndexObject } from './write-objects.ts';
/** What Weaviate says of itself. */
const Meta = z.object({ version: z.string() });

export type VectorIndex = ReturnType<typeof createVectorIndex>;

/**
 * Creates the index of chunks and memories in Weaviate: one class per embedding space, one tenant per collection and index
 * generation. It contains nothing that is not in Postgres. It connects with the first call and reconnects when the server
 * returns. Every method throws AppError `dependency_unavailable` (with `retryAfterS`) while Weaviate is unavailable, and
 * `internal` for an invalid request, such as a vector of the wrong length or a write to a tenant that this process has not seen.
 */
export function createVectorIndex(options: VectorIndexOptions) {
  const connection = createConnection(options);
  const uses = createTenantUses();
  const inTenant =
    <Input, Output>(
      operation: (connection: WeaviateConnection, tenant: Tenant, input: Input) => Promise<Output>,
      signalOf: (input: Input) => AbortSignal | undefined = () => undefined,
    ) =>
    async (space: EmbeddingSpace, tenant: string, input: Input): Promise<Output> => {
      const startedMs = performance.now();
      const output = await withAppErrors(operation(connection, { space, name: tenant }, input), signalOf(input));
      uses.record({ space, name: tenant }, performance.now() - startedMs);
      return output;
    };
  const onTenant =
    <Output>(operation: (connection: WeaviateConnection, tenant: Tenant) => Promise<Output>) =>
    (space: EmbeddingSpace, tenant: string): Promise<Output> =>
      withAppErrors(operation(connection, { space, name: tenant }));
  return {
    /** Creates the class of a space unless it exists. Concurrent calls are safe. */
    ensureSpace: (space: EmbeddingSpace) => withAppErrors(ensureSpace(connection, space)),
    /** Returns the names of all tenants of a space; none when its class does not exist. */
    listTenants: (space: EmbeddingSpace) => withAppErrors(listTenants(connection, space)),
    ensureTenant: onTenant(ensureTenant),
    ensureTenantOnce: onTenant(ensureTenantOnce),
    dropTenant: onTenant(dropTenant),
    /** Takes at most 100 tenants out of memory until their next use. Returns those that are in use and stay. */
    deactivateTenants: (space: EmbeddingSpace, names: readonly string[]) =>
      withAppErrors(deactivateTenants(connection, space, names)),
    /** Returns the tenants whose objects this process read or wrote since the last call. */
    takeUses: () => uses.take(),
    tenantExists: onTenant(tenantExists),
    writeObjects: inTenant(writeObjects),
    rewriteObjects: inTenant(rewriteObjects),
    updateFacets: inTenant(updateFacets),
    deleteContent: inTenant(deleteContent),
    deleteContents: inTenant(deleteContents),
    findNewerVersion: inTenant(findNewerVersion),
    deleteObjects: inTenant(deleteObjects),
    countObjects: inTenant(countObjects),
    hasObjects: inTenant(hasObjects),
    readObjects: inTenant(readObjects),
    fetchVectors: inTenant(fetchVectors),
    search: inTenant(searchTenant, ({ signal }) => signal),
    /** Resolves when Weaviate is ready to serve. */
    ready: () => connection.ready(),
    /** The version of Weaviate; waits briefly, as `ready` does. */
    version: async () => Meta.parse(await withAppErrors(connection.meta())).version,
    close: () => connection.close(),
  };
}

/** @throws the reason of the signal when it was aborted; else an AppError. */
async function withAppErrors<T>(call: Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await call;
  } catch (error) {
    signal?.throwIfAborted();
    throw toAppError(error);
  }
}
