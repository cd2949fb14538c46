import type { EmbeddingSpace } from '#domain/embedder.ts';
import { createConnection, type Tenant, type VectorIndexOptions, type WeaviateConnection } from './connection.ts';
import { countObjects, fetchVectors, readObjects } from './read-objects.ts';
import { searchTenant } from './search.ts';
import { dropTenant, ensureSpace, ensureTenant, listTenants, tenantExists } from './tenants.ts';
import { toAppError } from './weaviate-errors.ts';
import { writeObjects, rewriteObjects, updateFacets } from './write-objects.ts';
import { deleteContent, deleteContents, deleteObjects } from './delete-objects.ts';

export type { Hit, HitLeg, HitLegs, IndexSearch } from './search.ts';
export type { IndexObject } from './write-objects.ts';
export type VectorIndex = ReturnType<typeof createVectorIndex>;

/**
 * The projection of chunks and memories into Weaviate: one class per embedding space, one tenant per collection and index
 * generation. It holds nothing that Postgres does not. Nothing connects before the first call, and a server that comes back is
 * used again. Every method throws AppError `dependency_unavailable` (with `retryAfterS`) while Weaviate is away, and `internal` for
 * a request that Weaviate calls wrong, like a vector of another length or a write to a tenant that is not there.
 */
export function createVectorIndex(options: VectorIndexOptions) {
  const connection = createConnection(options);
  const inTenant =
    <Input, Output>(action: (connection: WeaviateConnection, tenant: Tenant, input: Input) => Promise<Output>) =>
    (space: EmbeddingSpace, tenant: string, input: Input): Promise<Output> =>
      withAppErrors(action(connection, { space, name: tenant }, input));
  const onTenant =
    <Output>(action: (connection: WeaviateConnection, tenant: Tenant) => Promise<Output>) =>
    (space: EmbeddingSpace, tenant: string): Promise<Output> =>
      withAppErrors(action(connection, { space, name: tenant }));
  return {
    /** Creates the class of a space if need be; safe to race. */
    ensureSpace: (space: EmbeddingSpace) => withAppErrors(ensureSpace(connection, space)),
    /** Names of all tenants of a space; none when the space is not there. */
    listTenants: (space: EmbeddingSpace) => withAppErrors(listTenants(connection, space)),
    ensureTenant: onTenant(ensureTenant),
    dropTenant: onTenant(dropTenant),
    tenantExists: onTenant(tenantExists),
    writeObjects: inTenant(writeObjects),
    rewriteObjects: inTenant(rewriteObjects),
    updateFacets: inTenant(updateFacets),
    deleteContent: inTenant(deleteContent),
    deleteContents: inTenant(deleteContents),
    deleteObjects: inTenant(deleteObjects),
    countObjects: inTenant(countObjects),
    readObjects: inTenant(readObjects),
    fetchVectors: inTenant(fetchVectors),
    search: inTenant(searchTenant),
    /** Resolves when Weaviate is ready to serve. */
    ready: () => connection.ready(),
    close: () => connection.close(),
  };
}

async function withAppErrors<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw toAppError(error);
  }
}
