import { randomInt } from 'node:crypto';
import pLimit from 'p-limit';
import type { Tenant, WeaviateConnection } from './connection.ts';
import { stemmedText } from './stemmed-text.ts';
import { className, type StoredProperties } from './class-definition.ts';
import { isTenantMissing, WeaviateResponseError } from './weaviate-errors.ts';

/** One chunk (or memory) to index. `id` is a UUID; writing it twice is writing it once. */
export type IndexObject = {
  id: string;
  content_id: string;
  version: number;
  text: string;
  /** `recordFacets` of the chunk. */
  facets: readonly string[];
  /** As many numbers as the space has dimensions. */
  vector: Float32Array;
};

/** Batches stay well below Weaviate's limits and near the size at which it was measured fastest. */
const MAX_BATCH_OBJECTS = 100;
const MAX_BATCH_BYTES = 8 * 1024 * 1024;
const BATCHES_IN_FLIGHT = 4;
const PATCHES_IN_FLIGHT = 16;
/** Versions begin with 1. */
const NO_VERSION = -1;

/** Of a vector that is written again, so many numbers are moved by up to as many steps: 4,096 ways, none to be noticed. */
const PERTURBED_DIMENSIONS = 3;
const PERTURBATION_STEPS = 16;
const PERTURBATION_STEP = 1e-6;

/**
 * Writes objects, whole or not at all for each, so that they outlive their server; throws if any was refused. When that is
 * unknown or a write was given up half-way, `rewriteObjects` is what repeats it.
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
 * Writes objects that may be there already, in part or in whole. Weaviate (1.38) skips an object that it has with the same vector and
 * properties, and keeps its place in the vector index for one with the same vector; a server that was killed between object and
 * vector has no such place, and the object would never be found by vector. A vector that differs is indexed anew, in one step
 * in which nobody misses the object, so each is moved by a few millionths.
 */
export async function rewriteObjects(
  connection: WeaviateConnection,
  tenant: Tenant,
  objects: readonly IndexObject[],
): Promise<void> {
  const moves = Array.from(
    { length: PERTURBED_DIMENSIONS },
    () => randomInt(1, PERTURBATION_STEPS + 1) * PERTURBATION_STEP,
  );
  const moved = objects.map((object) => ({
    ...object,
    vector: object.vector.map((value, place) => value + (moves[place] ?? 0)),
  }));
  await writeObjects(connection, tenant, moved);
}

/**
 * Has the log of the vector index written. Weaviate (1.38) writes it at the end of a batch, but before the vectors of the batch are
 * in it: the last 32 kB of a server that is killed were gone, and with them whole collections from vector search, while their
 * objects stayed. Deleting what is not there writes the log and does nothing else.
 */
async function flushVectors(connection: WeaviateConnection, tenant: Tenant): Promise<void> {
  await connection.inTenant(tenant, ({ data, filter }) =>
    data.deleteMany(filter.byProperty('version').equal(NO_VERSION), { dryRun: true }),
  );
}

/** Piece by piece into a buffer: one string of megabytes for every batch would fill the heap faster than it is cleaned. */
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

/** Nine digits say a 32-bit number exactly; JSON would write up to seventeen of them, a third of a batch's bytes. */
function roundToFloat32Digits(value: number): number {
  return Number(value.toPrecision(9));
}

/** Sizes are estimates: what counts is that one huge object does not travel with two hundred others. */
function toBatches(objects: readonly IndexObject[]): IndexObject[][] {
  const batches: IndexObject[][] = [];
  let room = 0;
  for (const object of objects) {
    const sizeBytes =
      object.vector.length * 14 +
      object.text.length * 4 +
      object.facets.reduce((sum, facet) => sum + facet.length + 3, 0);
    let batch = batches.at(-1);
    if (!batch || batch.length === MAX_BATCH_OBJECTS || sizeBytes > room) {
      batches.push((batch = []));
      room = MAX_BATCH_BYTES;
    }
    batch.push(object);
    room -= sizeBytes;
  }
  return batches;
}

async function writeBatch(connection: WeaviateConnection, json: Buffer): Promise<void> {
  // 200 with every object, its vector and its result, also when objects failed; megabytes that are parsed only when they tell of a failure.
  const answer = await connection.restRaw({ method: 'POST', path: '/batch/objects', json });
  if (!answer.includes('errors') && !answer.includes('FAILED')) return;
  // Weaviate's own answer.
  const results = JSON.parse(answer.toString()) as {
    result?: { status?: string; errors?: { error?: { message: string }[] } };
  }[];
  const failed = results.filter(({ result }) => result?.errors?.error?.length || result?.status === 'FAILED');
  if (failed.length === 0) return;
  const reason = failed[0]?.result?.errors?.error?.[0]?.message ?? 'no reason given';
  throw new Error(`Weaviate refused ${failed.length} of ${results.length} objects: ${reason}`);
}

/**
 * Replaces the facets of objects and leaves their text and vectors alone, without embedding again. Returns the ids that have no
 * object: these want a whole `writeObjects`.
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
