import type { FilterValue } from 'weaviate-client';
import type { Tenant, TenantCollection, WeaviateConnection } from './connection.ts';
import { Filters } from './filters.ts';
import { runInTenant } from './tenants.ts';

/** An object in the index, without its text and vector. */
export type StoredObject = { id: string; content_id: string; version: number };
export type ObjectPage = { objects: StoredObject[]; nextCursor: string | null };

const PAGE_SIZE = 1_000;
const VECTOR_PAGE_SIZE = 200;
/** As many as Weaviate lets a query return by default. */
const MAX_FETCHED_OBJECTS = 10_000;

/** Some contents, or one version of a content. */
type ObjectsOf = { contentId?: string; contentIds?: readonly string[]; version?: number };

/**
 * Returns the number of objects of a tenant, or of its entries in the filter index for some contents or one version. Entries may
 * be left of objects that are gone: use `hasObjects` to decide whether anything is left. A missing tenant has none.
 */
export async function countObjects(connection: WeaviateConnection, tenant: Tenant, of: ObjectsOf): Promise<number> {
  return runInTenant(connection, tenant, { absent: 0, run: (collection) => countIn(collection, of) });
}

async function countIn(collection: TenantCollection, of: ObjectsOf): Promise<number> {
  const filters = filtersOf(collection, of);
  return (await collection.aggregate.overAll(filters === null ? {} : { filters })).totalCount;
}

function filtersOf({ filter }: TenantCollection, { contentId, contentIds, version }: ObjectsOf): FilterValue | null {
  const filters: FilterValue[] = [];
  if (contentId !== undefined) filters.push(filter.byProperty('content_id').equal(contentId));
  if (contentIds) filters.push(filter.byProperty('content_id').containsAny([...contentIds]));
  if (version !== undefined) filters.push(filter.byProperty('version').equal(version));
  return filters.length === 0 ? null : Filters.and(...filters);
}

/**
 * Whether the index has any object of some contents. Weaviate (1.38) counts entries of its filter index, and an entry outlives
 * its object when that is deleted while it is written, or when the server is killed during a deletion: nothing removes it
 * again. So objects that are counted are fetched, too. Of more than 10,000 entries, only the first 10,000 are looked at.
 */
export async function hasObjects(
  connection: WeaviateConnection,
  tenant: Tenant,
  of: { contentIds: readonly string[] },
): Promise<boolean> {
  if (of.contentIds.length === 0) return false;
  const run = async (collection: TenantCollection): Promise<boolean> => {
    const entries = await countIn(collection, of);
    const filters = filtersOf(collection, of);
    if (entries === 0 || filters === null) return false;
    const limit = Math.min(entries, MAX_FETCHED_OBJECTS);
    return (await collection.query.fetchObjects({ filters, limit, returnProperties: [] })).objects.length > 0;
  };
  return runInTenant(connection, tenant, { absent: false, run });
}

/**
 * Returns the highest version beyond `than` of which the index has objects of the contents, or null. Of more than 10,000 such
 * objects, any 10,000 are looked at.
 */
export async function findNewerVersion(
  connection: WeaviateConnection,
  tenant: Tenant,
  { contentIds, than }: { contentIds: readonly string[]; than: number },
): Promise<number | null> {
  if (contentIds.length === 0) return null;
  const run = async ({ filter, query }: TenantCollection): Promise<number | null> => {
    const ofContents = filter.byProperty('content_id').containsAny([...contentIds]);
    const filters = Filters.and(ofContents, filter.byProperty('version').greaterThan(than));
    const found = await query.fetchObjects({ filters, limit: MAX_FETCHED_OBJECTS, returnProperties: ['version'] });
    const versions = found.objects.map(({ properties }) => properties.version);
    return versions.length === 0 ? null : Math.max(...versions);
  };
  return runInTenant(connection, tenant, { absent: null, run });
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
