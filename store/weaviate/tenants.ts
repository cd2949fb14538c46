import type { EmbeddingSpace } from '#domain/embedder.ts';
import type { Tenant, TenantOperation, WeaviateConnection } from './connection.ts';
import { classDefinition, className } from './class-definition.ts';
import { isTenantMissing, indexUnavailable, WeaviateResponseError } from './weaviate-errors.ts';

/** Creates the class of a space. It is no error when it is there, or when another process is just creating it. */
export async function ensureSpace(connection: WeaviateConnection, space: EmbeddingSpace): Promise<void> {
  if (await spaceExists(connection, space)) return;
  try {
    await connection.rest({ method: 'POST', path: '/schema', body: classDefinition(space) });
  } catch (error) {
    if (!(error instanceof WeaviateResponseError && /already exists/.test(error.message))) throw error;
  }
}

async function spaceExists(connection: WeaviateConnection, space: EmbeddingSpace): Promise<boolean> {
  return found(() => connection.rest({ method: 'GET', path: `/schema/${className(space)}` }));
}

/** Creates a tenant, and its class if need be. It is no error when it is there. */
export async function ensureTenant(connection: WeaviateConnection, { space, name }: Tenant): Promise<void> {
  const create = (): Promise<unknown> =>
    connection.rest({ method: 'POST', path: `/schema/${className(space)}/tenants`, body: [{ name }] });
  try {
    await create();
  } catch (error) {
    if (!isTenantMissing(error)) throw error;
    await ensureSpace(connection, space);
    await create();
  }
}

/** Removes a tenant with everything in it. It is no error when it is gone. */
export async function dropTenant(connection: WeaviateConnection, { space, name }: Tenant): Promise<void> {
  try {
    await connection.rest({ method: 'DELETE', path: `/schema/${className(space)}/tenants`, body: [name] });
  } catch (error) {
    if (!isTenantMissing(error)) throw error;
  }
}

export async function tenantExists(connection: WeaviateConnection, { space, name }: Tenant): Promise<boolean> {
  return found(() =>
    connection.rest({ method: 'GET', path: `/schema/${className(space)}/tenants/${encodeURIComponent(name)}` }),
  );
}

/** Names of all tenants of a space; none when the space is not there. */
export async function listTenants(connection: WeaviateConnection, space: EmbeddingSpace): Promise<string[]> {
  try {
    // Weaviate's own answer: a list of {name, activityStatus}.
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
 * Runs calls in a tenant; `absent` is the answer when the tenant is not there. A server that is still loading its schema says
 * "not found" too, so only the schema's own answer counts: nothing is taken for empty that is only away.
 */
export async function runInTenant<T>(
  connection: WeaviateConnection,
  tenant: Tenant,
  { absent, run }: { absent: T; run: TenantOperation<T> },
): Promise<T> {
  try {
    return await connection.inTenant(tenant, run);
  } catch (error) {
    if (!isTenantMissing(error)) throw error;
    await connection.ready();
    if (!(await tenantExists(connection, tenant))) return absent;
  }
  // The tenant was created just now, or its server is still loading: a second look tells which.
  try {
    return await connection.inTenant(tenant, run);
  } catch (error) {
    if (isTenantMissing(error)) throw indexUnavailable(error);
    throw error;
  }
}

async function found(request: () => Promise<unknown>): Promise<boolean> {
  try {
    await request();
    return true;
  } catch (error) {
    if (error instanceof WeaviateResponseError && (error.status === 404 || isTenantMissing(error))) return false;
    throw error;
  }
}
