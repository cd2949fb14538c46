import { randomUUID } from 'node:crypto';
import test from 'ava';
import { memoryTenant } from '#domain/memories/memory-index.ts';
import { deactivateIdleTenants, watchTenants } from '#operations/index/deactivate-idle-tenants.ts';
import { className } from '#store/weaviate/class-definition.ts';
import { query } from '#store/postgres.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { indexObject } from '#test/store/weaviate/index-under-test.ts';
import type { EmbeddingSpace } from '#domain/embedder.ts';

const SPACE: EmbeddingSpace = { provider: 'lexical', model: 'idle', model_hash: 'v1', dimensions: 3 };
const ASK = {
  type: 'hybrid',
  queryText: 'walrus',
  queryVector: Float32Array.of(1, 0, 0),
  filter: null,
  limit: 10,
} as const;

/** Whether Weaviate holds a tenant in memory. */
async function isActive(tenant: string): Promise<boolean> {
  const { url, apiKey } = testStack().weaviate;
  const answer = await fetch(`${url}/v1/schema/${className(SPACE)}/tenants/${tenant}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  // The answer of Weaviate.
  return ['ACTIVE', 'HOT'].includes(((await answer.json()) as { activityStatus: string }).activityStatus);
}

/** Services with a workspace, a tenant of its memories with one object, and the time that makes rows idle. */
async function openIdle(t: Parameters<typeof openOwnServices>[0]) {
  const own = await openOwnServices(t);
  const { services, database } = own;
  const [workspace] = await query<{ id: string }>(
    database,
    `insert into workspaces (name) values ('idle') returning id`,
  );
  if (!workspace) throw new Error('insert returned no row');
  const tenant = memoryTenant(workspace.id);
  const object = indexObject({ text: 'walrus' });
  await services.vectors.ensureTenant(SPACE, tenant);
  await services.vectors.writeObjects(SPACE, tenant, [object]);
  await services.tenantActivity.flush();
  const search = () => services.vectors.search(SPACE, tenant, ASK);
  const letTimePass = () =>
    query(database, `update tenant_activity set used_at = used_at - interval '25 hours' where tenant = :tenant`, {
      tenant,
    });
  return { services, database, tenant, object, search, letTimePass, workspaceId: workspace.id };
}

test('a tenant that nobody used for a day is deactivated, and the first search, write or deletion activates it', async (t) => {
  const { services, tenant, object, search, letTimePass } = await openIdle(t);
  t.is(await deactivateIdleTenants(services), 0);
  t.true(await isActive(tenant));
  const uses = [
    async () =>
      t.deepEqual(
        (await search()).map(({ id }) => id),
        [object.id],
      ),
    () => services.vectors.writeObjects(SPACE, tenant, [indexObject({ content_id: 'content-2' })]),
    () => services.vectors.updateFacets(SPACE, tenant, [{ id: object.id, facets: ['m.lang=s:de'] }]),
    async () => t.is(await services.vectors.deleteContent(SPACE, tenant, { contentId: 'content-2' }), 1),
    async () => t.is(await services.vectors.countObjects(SPACE, tenant, {}), 1),
  ];
  for (const use of uses) {
    // Weaviate refuses while the end of the last call is still using it; the tenant then counts as used.
    await eventually('it is deactivated', async () => {
      await letTimePass();
      return (await deactivateIdleTenants(services)) === 1;
    });
    t.false(await isActive(tenant));
    t.true(await services.vectors.tenantExists(SPACE, tenant), 'asking whether it is there activates nothing');
    t.false(await isActive(tenant));
    t.is(await deactivateIdleTenants(services), 0);
    await use();
    await services.tenantActivity.flush();
    t.true(await isActive(tenant));
    t.is(await deactivateIdleTenants(services), 0, 'it is in use');
  }
  const metrics = await services.metrics.render();
  t.regex(metrics, /^loci_index_tenants_deactivated_total 5$/m);
  t.regex(metrics, /^loci_index_tenant_activation_seconds_count 5$/m);
  t.regex(metrics, /^loci_index_tenants\{state="active"\} 1$/m);
});

test('a tenant that is deactivated again and again while it is written and searched loses nothing and fails no search', async (t) => {
  const { services, tenant, search } = await openIdle(t);
  const ending = new AbortController();
  const ids = new Set<string>();
  const failed: unknown[] = [];
  const repeat = async (work: () => Promise<unknown>) => {
    while (!ending.signal.aborted) await work().catch((error: unknown) => failed.push(error));
  };
  const working = Promise.all([
    repeat(search),
    repeat(async () => {
      const object = indexObject({ text: `walrus ${ids.size}` });
      // A write that meets the deactivation may fail; whoever writes repeats it, as after every failure.
      await services.vectors.writeObjects(SPACE, tenant, [object]).catch(() =>
        eventually('the object is written', async () => {
          await services.vectors.rewriteObjects(SPACE, tenant, [object]);
          return true;
        }),
      );
      ids.add(object.id);
    }),
  ]);
  for (let round = 0; round < 10; round += 1) {
    await eventually('another object is written', async () => ids.size > round, { everyMs: 10 });
    await services.vectors.deactivateTenants(SPACE, [tenant]);
  }
  ending.abort();
  await working;
  t.deepEqual(failed, []);
  const hits = await services.vectors.search(SPACE, tenant, { ...ASK, limit: 1_000 });
  t.deepEqual(
    [...ids].filter((id) => !hits.some((hit) => hit.id === id)),
    [],
  );
});

test('a crash between Weaviate and the row, and a deleted tenant, do no harm', async (t) => {
  const { services, tenant, letTimePass, search } = await openIdle(t);
  await letTimePass();
  await services.vectors.deactivateTenants(SPACE, [tenant]);
  t.is(await deactivateIdleTenants(services), 1, 'it is deactivated once more');
  t.is((await search()).length, 1);
  await services.tenantActivity.flush();
  await services.vectors.dropTenant(SPACE, tenant);
  await letTimePass();
  t.is(await deactivateIdleTenants(services), 1);
  t.is((await search()).length, 0);
});

test('collections of older versions are watched from now on, and deleted ones are forgotten', async (t) => {
  const { services, database, workspaceId } = await openIdle(t);
  const collection = await query<{ id: string }>(
    database,
    `insert into collections (workspace_id, name) values (:workspaceId, 'old') returning id`,
    { workspaceId },
  );
  const generation = { workspaceId, id: collection[0]?.id, tenant: randomUUID() };
  await query(
    database,
    `insert into index_generations (workspace_id, collection_id, number, tenant, status, provider, model, model_hash, dimensions)
     values (:workspaceId, :id, 1, :tenant, 'active', 'lexical', 'idle', 'v1', 3)`,
    generation,
  );
  const { tenant } = generation;
  const known = () => query(database, 'select from tenant_activity where tenant = :tenant', { tenant });
  await watchTenants(services);
  await watchTenants(services);
  t.is((await known()).length, 1);
  await query(database, 'delete from index_generations where tenant = :tenant', { tenant });
  await watchTenants(services);
  t.is((await known()).length, 0);
  t.is((await services.stores.tenantActivity.count()).active, 1, 'that of memories stays');
});
