import { Filters, type FilterValue } from 'weaviate-client';
import type { Tenant, TenantCollection, WeaviateConnection } from './connection.ts';
import { runInTenant } from './tenants.ts';

/** An object in the index, without its text and vector. */
export type StoredObject = { id: string; content_id: string; version: number };
export type ObjectPage = { objects: StoredObject[]; nextCursor: string | null };

const PAGE_SIZE = 1_000;
const VECTOR_PAGE_SIZE = 200;

/** Returns the exact number of objects, optionally of some contents or of one version. A missing tenant has none. */
export async function countObjects(
  connection: WeaviateConnection,
  tenant: Tenant,
  { contentId, contentIds, version }: { contentId?: string; contentIds?: readonly string[]; version?: number },
): Promise<number> {
  const run = async (collection: TenantCollection): Promise<number> => {
    const filters: FilterValue[] = [];
    if (contentId !== undefined) filters.push(collection.filter.byProperty('content_id').equal(contentId));
    if (contentIds) filters.push(collection.filter.byProperty('content_id').containsAny([...contentIds]));
    if (version !== undefined) filters.push(collection.filter.byProperty('version').equal(version));
    const options = filters.length === 0 ? {} : { filters: Filters.and(...filters) };
    return (await collection.aggregate.overAll(options)).totalCount;
  };
  return runInTenant(connection, tenant, { absent: 0, run });
}

/** Returns a page of all objects of a tenant, ordered by id, after `cursor` (null: from the beginning). */
export async function readObjects(
  connection: WeaviateConnection,
  tenant: Tenant,
  cursor: string | null,
): Promise<ObjectPage> {
  const run = async (collection: TenantCollection): Promise<ObjectPage> => {
    const found = await collection.query.fetchObjects({
      limit: PAGE_SIZE,
      returnProperties: ['content_id', 'version'],
      ...(cursor === null ? {} : { after: cursor }),
    });
    const objects = found.objects.map(({ uuid, properties }) => ({
      id: uuid,
      content_id: properties.content_id,
      version: properties.version,
    }));
    return { objects, nextCursor: objects.length < PAGE_SIZE ? null : (objects.at(-1)?.id ?? null) };
  };
  return runInTenant(connection, tenant, { absent: { objects: [], nextCursor: null }, run });
}

/** Returns the vectors of objects by id; ids without an object are absent. */
export async function fetchVectors(
  connection: WeaviateConnection,
  tenant: Tenant,
  ids: readonly string[],
): Promise<Map<string, number[]>> {
  const run = async (collection: TenantCollection): Promise<Map<string, number[]>> => {
    const vectors = new Map<string, number[]>();
    for (let start = 0; start < ids.length; start += VECTOR_PAGE_SIZE) {
      const page = await readVectors(collection, ids.slice(start, start + VECTOR_PAGE_SIZE));
      for (const [id, vector] of page) vectors.set(id, vector);
    }
    return vectors;
  };
  return runInTenant(connection, tenant, { absent: new Map(), run });
}

/** Returns the vectors of at most 200 objects by id; ids without an object are absent. */
export async function readVectors(
  collection: TenantCollection,
  ids: readonly string[],
): Promise<Map<string, number[]>> {
  // Weaviate refuses a filter for any of no ids.
  if (ids.length === 0) return new Map();
  const { objects } = await collection.query.fetchObjects({
    filters: collection.filter.byId().containsAny([...ids]),
    limit: ids.length,
    includeVector: true,
    returnProperties: [],
  });
  return vectorsOf(objects);
}

/** Returns the vectors of objects that were read with them, by id. */
export function vectorsOf(
  objects: readonly { uuid: string; vectors: Readonly<Record<string, number[] | number[][]>> }[],
): Map<string, number[]> {
  // The only vector of a class is named `default`; lists of lists are multi-vectors, which Loci does not use.
  return new Map(
    objects.flatMap(({ uuid, vectors }) => (vectors['default'] ? [[uuid, vectors['default'] as number[]]] : [])),
  );
}
