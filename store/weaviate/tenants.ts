import { z } from 'zod';
import type { EmbeddingSpace } from '#domain/embedder.ts';
import type { Tenant, TenantOperation, WeaviateConnection } from './connection.ts';
import { classDefinition, className } from './class-definition.ts';
import {
  cannotBeDeactivated,
  isBroken,
  isTenantInUse,
  isTenantMissing,
  indexUnavailable,
  WeaviateResponseError,
} from './weaviate-errors.ts';

/** Creates the Weaviate class of an embedding space, unless it exists or another process is creating it. */
export async function ensureSpace(connection: WeaviateConnection, space: EmbeddingSpace): Promise<void> {
  if (await spaceExists(connection, space)) return;
  try {
    const replicationFactor = connection.classes.replicationFactor ?? (await factorOfCluster(connection));
    const body = classDefinition(space, { ...connection.classes, replicationFactor });
    await connection.rest({ method: 'POST', path: '/schema', body });
  } catch (error) {
    if (!(error instanceof WeaviateResponseError && /already exists/.test(error.message))) throw error;
  }
}

/** What is used of the statistics: the members of Raft, which include nodes that are down and say nothing themselves. */
const ClusterStatistics = z.object({
  statistics: z.array(
    z.object({ raft: z.object({ latestConfiguration: z.array(z.object({ id: z.string() })) }).optional() }),
  ),
});

/** Copies that survive the loss of one node, with a majority of the others. More of them cost memory and time of each write. */
const MAX_DEFAULT_FACTOR = 3;

async function readStatistics(connection: WeaviateConnection): Promise<unknown> {
  try {
    return await connection.rest({ method: 'GET', path: '/cluster/statistics' });
  } catch (error) {
    if (!(error instanceof WeaviateResponseError && error.status === 403)) throw error;
    throw indexUnavailable(
      error,
      'The key of the search index may not count its nodes: ' +
        'allow it to read the cluster, or set LOCI_WEAVIATE_REPLICATION_FACTOR.',
    );
  }
}

/** Returns the number of nodes of the cluster, whether they are up or not, but at most three. */
async function factorOfCluster(connection: WeaviateConnection): Promise<number> {
  const { statistics } = ClusterStatistics.parse(await readStatistics(connection));
  const members = statistics.flatMap(({ raft }) => raft?.latestConfiguration.map(({ id }) => id) ?? []);
  return Math.max(1, Math.min(MAX_DEFAULT_FACTOR, new Set(members).size));
}

async function spaceExists(connection: WeaviateConnection, space: EmbeddingSpace): Promise<boolean> {
  return exists(() => connection.rest({ method: 'GET', path: `/schema/${className(space)}` }));
}

/** Creates a tenant, and its class if it is missing, unless the tenant exists. */
export async function ensureTenant(connection: WeaviateConnection, tenant: Tenant): Promise<void> {
  const { space, name } = tenant;
  const create = (): Promise<unknown> =>
    connection.rest({ method: 'POST', path: `/schema/${className(space)}/tenants`, body: [{ name }] });
  try {
    await create();
  } catch (error) {
    if (!isTenantMissing(error)) throw error;
    await ensureSpace(connection, space);
    await create();
  }
  connection.knownTenants.set(tenantKey(tenant), true);
}

/**
 * Like `ensureTenant`, without a call if this process has seen the tenant. Another process may have dropped it, or Weaviate may
 * have lost its data: then the next write fails and forgets it.
 */
export async function ensureTenantOnce(connection: WeaviateConnection, tenant: Tenant): Promise<void> {
  if (connection.knownTenants.get(tenantKey(tenant)) !== true) await ensureTenant(connection, tenant);
}

/**
 * Returns the error of a write: if a tenant that this process had seen is gone, the next attempt creates it. So it is for each of
 * several writes that find it gone, whichever of them is the first.
 */
export function explainFailedWrite(connection: WeaviateConnection, tenant: Tenant, error: unknown): unknown {
  if (!isTenantMissing(error) || !connection.knownTenants.has(tenantKey(tenant))) return error;
  connection.knownTenants.set(tenantKey(tenant), false);
  return indexUnavailable(
    error,
    'The tenant of this collection is gone from the search index; try again to create it.',
  );
}

function tenantKey({ space, name }: Tenant): string {
  return `${className(space)}/${name}`;
}

/** Deletes a tenant with all its objects, if it exists. */
export async function dropTenant(connection: WeaviateConnection, tenant: Tenant): Promise<void> {
  const { space, name } = tenant;
  connection.knownTenants.delete(tenantKey(tenant));
  try {
    await connection.rest({ method: 'DELETE', path: `/schema/${className(space)}/tenants`, body: [name] });
  } catch (error) {
    if (!isTenantMissing(error)) throw error;
  }
}

/**
 * Deactivates at most 100 tenants; missing ones are ignored. Returns those that stay active because a call uses them. Weaviate
 * activates a tenant with its next use (`autoTenantActivation`).
 */
export async function deactivateTenants(
  connection: WeaviateConnection,
  space: EmbeddingSpace,
  names: readonly string[],
): Promise<string[]> {
  const body = names.map((name) => ({ name, activityStatus: 'INACTIVE' }));
  try {
    await connection.rest({ method: 'PUT', path: `/schema/${className(space)}/tenants`, body });
    return [];
  } catch (error) {
    if (!cannotBeDeactivated(error)) throw error;
    if (names.length === 1) return isTenantInUse(error) ? [...names] : [];
  }
  const inUse: string[] = [];
  for (const name of names) inUse.push(...(await deactivateTenants(connection, space, [name])));
  return inUse;
}

export async function tenantExists(connection: WeaviateConnection, { space, name }: Tenant): Promise<boolean> {
  return exists(() =>
    connection.rest({ method: 'GET', path: `/schema/${className(space)}/tenants/${encodeURIComponent(name)}` }),
  );
}

/** Returns the names of all tenants of a space; none when its class does not exist. */
export async function listTenants(connection: WeaviateConnection, space: EmbeddingSpace): Promise<string[]> {
  try {
    // Weaviate returns a list of {name, activityStatus}.
    const tenants = (await connection.rest({ method: 'GET', path: `/schema/${className(space)}/tenants` })) as {
      name: string;
    }[];
    return tenants.map(({ name }) => name);
  } catch (error) {
    if (isTenantMissing(error)) return [];
    throw error;
  }
}

/**
 * Runs calls in a tenant that may be repeated; returns `absent` when the tenant does not exist. A server that is still loading
 * its schema also responds "not found", so a missing tenant is confirmed by the schema endpoint: data that is only unavailable
 * is never treated as empty. When the connection breaks, the calls run once more: other nodes of a cluster may be there.
 * @throws the reason of the signal, at once when it is aborted.
 */
export async function runInTenant<T>(
  connection: WeaviateConnection,
  tenant: Tenant,
  { absent, run, signal }: { absent: T; run: TenantOperation<T>; signal?: AbortSignal | undefined },
): Promise<T> {
  try {
    return await connection.inTenant(tenant, run, signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (!isTenantMissing(error) && !isBroken(error)) throw error;
    if (isTenantMissing(error)) {
      await connection.confirmReady();
      if (!(await tenantExists(connection, tenant))) return absent;
    }
  }
  // The tenant was created in the meantime, or the server is still loading: a second call tells which.
  try {
    return await connection.inTenant(tenant, run, signal);
  } catch (error) {
    if (isTenantMissing(error)) throw indexUnavailable(error);
    throw error;
  }
}

async function exists(request: () => Promise<unknown>): Promise<boolean> {
  try {
    await request();
    return true;
  } catch (error) {
    if (error instanceof WeaviateResponseError && (error.status === 404 || isTenantMissing(error))) return false;
    throw error;
  }
}
