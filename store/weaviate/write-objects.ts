import { randomInt } from 'node:crypto';
import pLimit from 'p-limit';
import type { Tenant, WeaviateConnection } from './connection.ts';
import { stemmedText } from './stemmed-text.ts';
import { className, type StoredProperties } from './class-definition.ts';
import { isTenantMissing, WeaviateResponseError } from './weaviate-errors.ts';

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

/** Batches are well below Weaviate's limits and near the size that was measured fastest. */
const MAX_BATCH_OBJECTS = 100;
const MAX_BATCH_BYTES = 8 * 1024 * 1024;
const BATCHES_IN_FLIGHT = 4;
const PATCHES_IN_FLIGHT = 16;
/** Matches no object: versions start at 1. */
const NO_VERSION = -1;

/** `rewriteObjects` adds 1 to 16 steps to each of the first dimensions: 4,096 variants, too small to affect ranking. */
const PERTURBED_DIMENSIONS = 3;
const PERTURBATION_STEPS = 16;
const PERTURBATION_STEP = 1e-6;

/**
 * Writes objects durably, each completely or not at all; throws if any was rejected. To repeat a write that failed or whose
 * outcome is unknown, use `rewriteObjects`.
 */
export async function writeObjects(
  connection: WeaviateConnection,
  tenant: Tenant,
  objects: readonly IndexObject[],
): Promise<void> {
  const limit = pLimit(BATCHES_IN_FLIGHT);
  await Promise.all(
    toBatches(objects).map((batch) => limit(() => writeBatch(connection, batchJson(restObjects(batch, tenant))))),
  );
  if (objects.length > 0) await flushVectors(connection, tenant);
}

/**
 * Writes objects that may already exist, completely or in part. Weaviate (1.38) skips an object whose vector and properties are
 * unchanged, and does not index an unchanged vector again. If the server was killed between storing the object and indexing its
 * vector, vector searches would never find the object. A different vector is always indexed, and the object stays searchable
 * meanwhile, so a few millionths are added to each vector.
 */
export async function rewriteObjects(
  connection: WeaviateConnection,
  tenant: Tenant,
  objects: readonly IndexObject[],
): Promise<void> {
  const offsets = Array.from(
    { length: PERTURBED_DIMENSIONS },
    () => randomInt(1, PERTURBATION_STEPS + 1) * PERTURBATION_STEP,
  );
  const perturbed = objects.map((object) => ({
    ...object,
    vector: object.vector.map((value, dimension) => value + (offsets[dimension] ?? 0)),
  }));
  await writeObjects(connection, tenant, perturbed);
}

/**
 * Flushes the log of the vector index. Weaviate (1.38) flushes it at the end of a batch, but before the vectors of the batch are
 * logged: when a server was killed, the last 32 kB were lost, and with them whole collections from vector search, while their
 * objects remained. Deleting objects that do not exist flushes the log and has no other effect.
 */
async function flushVectors(connection: WeaviateConnection, tenant: Tenant): Promise<void> {
  await connection.inTenant(tenant, ({ data, filter }) =>
    data.deleteMany(filter.byProperty('version').equal(NO_VERSION), { dryRun: true }),
  );
}

/**
 * Serializes objects one by one into a buffer: a string of megabytes per batch would fill the heap faster than it is
 * collected.
 */
function batchJson(objects: Iterable<RestObject>): Buffer {
  const pieces = [Buffer.from('{"objects":[')];
  for (const object of objects) pieces.push(Buffer.from(`${pieces.length > 1 ? ',' : ''}${JSON.stringify(object)}`));
  return Buffer.concat([...pieces, Buffer.from(']}')]);
}

type RestObject = { id: string; vector: number[]; properties: StoredProperties; class: string; tenant: string };

function* restObjects(objects: readonly IndexObject[], tenant: Tenant): Generator<RestObject> {
  for (const object of objects) yield restObject(object, tenant);
}

function restObject({ id, vector, facets, ...rest }: IndexObject, { space, name }: Tenant): RestObject {
  const properties = { ...rest, text_stemmed: stemmedText(rest.text), facets: [...facets] };
  return { id, vector: Array.from(vector, roundToFloat32Digits), properties, class: className(space), tenant: name };
}

/** Nine digits represent a 32-bit float exactly. JSON would write up to 17 digits, which is a third of the bytes of a batch. */
function roundToFloat32Digits(value: number): number {
  return Number(value.toPrecision(9));
}

/** Splits objects into batches. Sizes are estimates; they keep one huge object from sharing a batch with many others. */
function toBatches(objects: readonly IndexObject[]): IndexObject[][] {
  const batches: IndexObject[][] = [];
  let remainingBytes = 0;
  for (const object of objects) {
    const sizeBytes =
      object.vector.length * 14 +
      object.text.length * 4 +
      object.facets.reduce((sum, facet) => sum + facet.length + 3, 0);
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

async function writeBatch(connection: WeaviateConnection, json: Buffer): Promise<void> {
  // The response has status 200 even when objects failed, and repeats every object: megabytes that are parsed only after a
  // failure.
  const answer = await connection.restRaw({ method: 'POST', path: '/batch/objects', json });
  if (!answer.includes('errors') && !answer.includes('FAILED')) return;
  // Weaviate returns the result of each object.
  const results = JSON.parse(answer.toString()) as {
    result?: { status?: string; errors?: { error?: { message: string }[] } };
  }[];
  const failed = results.filter(({ result }) => result?.errors?.error?.length || result?.status === 'FAILED');
  if (failed.length === 0) return;
  const reason = failed[0]?.result?.errors?.error?.[0]?.message ?? 'no reason given';
  throw new Error(`Weaviate rejected ${failed.length} of ${results.length} objects: ${reason}`);
}

/**
 * Replaces the facets of objects; texts and vectors stay, so nothing is embedded again. Returns the ids without an object, which
 * `writeObjects` must write.
 */
export async function updateFacets(
  connection: WeaviateConnection,
  tenant: Tenant,
  updates: readonly { id: string; facets: readonly string[] }[],
): Promise<string[]> {
  const limit = pLimit(PATCHES_IN_FLIGHT);
  const missing = await Promise.all(
    updates.map(({ id, facets }) =>
      limit(async () => {
        const body = { class: className(tenant.space), tenant: tenant.name, properties: { facets } };
        try {
          await connection.rest({ method: 'PATCH', path: `/objects/${className(tenant.space)}/${id}`, body });
          return [];
        } catch (error) {
          if (isTenantMissing(error) || (error instanceof WeaviateResponseError && error.status === 404)) return [id];
          throw error;
        }
      }),
    ),
  );
  return missing.flat();
}
