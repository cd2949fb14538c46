import { randomInt } from 'node:crypto';
import pLimit from 'p-limit';
import type { Tenant, WeaviateConnection } from './connection.ts';
import { stemmedText } from './stemmed-text.ts';
import { className, type StoredProperties } from './class-definition.ts';
import type { StoredObject, TenantName, WriteConsistency } from './grpc-calls.ts';
import { explainFailedWrite } from './tenants.ts';
import { IncompleteWriteError, isAnswer, isTenantMissing, WeaviateResponseError } from './weaviate-errors.ts';

/** One chunk or memory to index. `id` is a UUID; writing an object again replaces it. */
export type IndexObject = {
  id: string;
  content_id: string;
  version: number;
  text: string;
  /** Terms of the filter fields, from `recordFacets`. */
  facets: readonly string[];
  /** Its length is the number of dimensions of the space. */
  vector: Float32Array;
};

/** Batches of 256 objects take a fifth less CPU time than batches of 100. gRPC servers accept at least 4 MiB by default. */
const MAX_BATCH_OBJECTS = 256;
const MAX_BATCH_BYTES = 4_000_000;
/** An upper bound of what an object takes beside its texts and vector: names, id, lengths. */
const OBJECT_OVERHEAD_BYTES = 500;
const BATCHES_IN_FLIGHT = 4;
const PATCHES_IN_FLIGHT = 16;

/** `rewriteObjects` adds 1 to 16 steps to each of the first dimensions: 4,096 variants, too small to affect ranking. */
const PERTURBED_DIMENSIONS = 3;
const PERTURBATION_STEPS = 16;
const PERTURBATION_STEP = 1e-6;

/**
 * Writes objects durably, each completely or not at all; throws if any was rejected. To repeat a write that failed or whose
 * outcome is unknown, use `rewriteObjects`.
 *
 * Every replica must have the objects, or else most of them must have them with slightly different vectors: a node that is killed
 * during a write may keep an object without its entries in the index. Replicas are compared by id and time, so the node would
 * never get these entries if the others had acknowledged the same write. Nor would it get vectors that were lost with its process
 * before they were flushed, so a write during which a node may have been started again counts as incomplete.
 */
export async function writeObjects(
  connection: WeaviateConnection,
  tenant: Tenant,
  objects: readonly IndexObject[],
): Promise<void> {
  const [first] = objects;
  if (!first) return;
  const write = async (group: readonly IndexObject[], consistency: WriteConsistency): Promise<void> => {
    const { restarts } = connection;
    const mayHaveRestarted = await (consistency === 'all' ? restarts.suspecting() : restarts.observing());
    const limit = pLimit(BATCHES_IN_FLIGHT);
    const batches = toBatches(group).map((batch) =>
      limit(() => writeBatch(connection, tenant, { batch, consistency })),
    );
    await Promise.all(batches);
    await flushVectors(connection, tenant, { id: first.id, consistency });
    if (await mayHaveRestarted())
      throw new IncompleteWriteError('A node of Weaviate may have been started again during a write.');
  };
  try {
    await write(objects, 'all').catch((error: unknown) => {
      if (!(error instanceof IncompleteWriteError) || isAnswer(error)) throw error;
      return write(withOtherVectors(objects), 'quorum');
    });
  } catch (error) {
    throw explainFailedWrite(connection, tenant, error);
  }
}

/**
 * Writes objects that may already exist, completely or in part. Weaviate (1.38) skips an object whose vector and properties are
 * unchanged, and does not index an unchanged vector again. If the server was killed between storing the object and indexing its
 * vector, vector searches would never find the object. A different vector is always indexed, so a few millionths are added to
 * each vector. While an existing object is replaced, searches miss it: with its batch, for some milliseconds.
 */
export async function rewriteObjects(
  connection: WeaviateConnection,
  tenant: Tenant,
  objects: readonly IndexObject[],
): Promise<void> {
  await writeObjects(connection, tenant, withOtherVectors(objects));
}

function withOtherVectors(objects: readonly IndexObject[]): IndexObject[] {
  const offsets = Array.from(
    { length: PERTURBED_DIMENSIONS },
    () => randomInt(1, PERTURBATION_STEPS + 1) * PERTURBATION_STEP,
  );
  return objects.map((object) => ({
    ...object,
    vector: object.vector.map((value, dimension) => value + (offsets[dimension] ?? 0)),
  }));
}

/**
 * Flushes the log of the vector index. Weaviate (1.38) flushes it at the end of a batch, but before the vectors of the batch are
 * logged: when a server was killed, the last 32 kB were lost, and with them whole collections from vector search, while their
 * objects remained. The dry run of a deletion flushes the log and has no other effect; it names an object because Weaviate
 * reports failures of replicas by object. Concurrent writes share a flush that starts when all of them are done.
 */
async function flushVectors(
  connection: WeaviateConnection,
  tenant: Tenant,
  { id, consistency }: { id: string; consistency: WriteConsistency },
): Promise<void> {
  const named = tenantName(tenant);
  await connection.shareRun(`${named.className}/${named.tenant}/${consistency}`, async () => {
    const isFlushed = await connection.grpc((calls, options) =>
      calls.pretendToDelete(named, id, { ...options, consistency }),
    );
    if (!isFlushed) throw new IncompleteWriteError('Weaviate did not flush the vectors on all nodes.');
  });
}

function storedObject({ id, vector, facets, ...rest }: IndexObject): StoredObject {
  return { id, vector, properties: { ...rest, text_stemmed: stemmedText(rest.text), facets: [...facets] } };
}

/** Splits objects into batches by number and size. An object that is larger than a batch is sent alone. */
function toBatches(objects: readonly IndexObject[]): StoredObject[][] {
  const batches: StoredObject[][] = [];
  let remainingBytes = 0;
  for (const object of objects.map(storedObject)) {
    const sizeBytes = sizeOf(object);
    let batch = batches.at(-1);
    if (!batch || batch.length === MAX_BATCH_OBJECTS || sizeBytes > remainingBytes) {
      batches.push((batch = []));
      remainingBytes = MAX_BATCH_BYTES;
    }
    batch.push(object);
    remainingBytes -= sizeBytes;
  }
  return batches;
}

function sizeOf({ vector, properties }: StoredObject): number {
  const texts = [properties.content_id, properties.text, properties.text_stemmed, ...properties.facets];
  const textBytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 4, 0);
  return OBJECT_OVERHEAD_BYTES + vector.byteLength + textBytes;
}

async function writeBatch(
  connection: WeaviateConnection,
  tenant: Tenant,
  { batch, consistency }: { batch: readonly StoredObject[]; consistency: WriteConsistency },
): Promise<void> {
  const errors = await connection.grpc((calls, options) =>
    calls.writeBatch(tenantName(tenant), batch, { ...options, consistency }),
  );
  if (errors.length === 0) return;
  throw new IncompleteWriteError(`Weaviate rejected ${errors.length} of ${batch.length} objects: ${errors[0]?.error}`);
}

function tenantName({ space, name }: Tenant): TenantName {
  return { className: className(space), tenant: name };
}

/**
 * Replaces the facets of objects; texts and vectors stay, so nothing is embedded again. Returns the ids without an object, which
 * `writeObjects` must write. An object that not every replica has changed is written again, for the reason given at
 * `writeObjects`.
 */
export async function updateFacets(
  connection: WeaviateConnection,
  tenant: Tenant,
  updates: readonly { id: string; facets: readonly string[] }[],
): Promise<string[]> {
  const limit = pLimit(PATCHES_IN_FLIGHT);
  const missing = await Promise.all(
    updates.map((update) =>
      limit(async () => {
        try {
          await patchFacets(connection, tenant, update);
          return [];
        } catch (error) {
          if (isTenantMissing(error) || hasStatus(error, 404)) return [update.id];
          if (!hasStatus(error, 500)) throw error;
          // Weaviate says the same of an object that is deleted while it is changed.
          const object = await readObject(connection, tenant, update.id);
          if (object === null) return [update.id];
          await rewriteObjects(connection, tenant, [{ ...object, ...update }]);
          return [];
        }
      }),
    ),
  );
  return missing.flat();
}

async function patchFacets(
  connection: WeaviateConnection,
  tenant: Tenant,
  { id, facets }: { id: string; facets: readonly string[] },
): Promise<void> {
  const path = `/objects/${className(tenant.space)}/${id}?consistency_level=ALL`;
  const body = { class: className(tenant.space), tenant: tenant.name, properties: { facets } };
  await connection.rest({ method: 'PATCH', path, body });
}

/** Null when there is no such object. */
async function readObject(connection: WeaviateConnection, tenant: Tenant, id: string): Promise<IndexObject | null> {
  const query = new URLSearchParams({ tenant: tenant.name, include: 'vector', consistency_level: 'QUORUM' });
  const path = `/objects/${className(tenant.space)}/${id}?${query.toString()}`;
  const found = await connection.rest({ method: 'GET', path }).catch((error: unknown) => {
    if (!hasStatus(error, 404)) throw error;
    return null;
  });
  if (found === null) return null;
  // Weaviate returns an object as it was written.
  const { properties, vector } = found as { properties: StoredProperties; vector: number[] };
  const { content_id, version, text, facets } = properties;
  return { id, content_id, version, text, facets, vector: Float32Array.from(vector) };
}

function hasStatus(error: unknown, status: number): boolean {
  return error instanceof WeaviateResponseError && error.status === status;
}
