import { workspaceScope } from '#domain/access/scope.ts';
import type { ErrorCode } from '#domain/app-error.ts';
import type { ReembedArgs, ReembedProgress } from '#domain/index/reembed-job.ts';
import type { ReembeddingStatus } from '#domain/statuses.ts';
import type { BuildKey } from '#store/index/built-contents.ts';
import type { Stores } from '#store/stores.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { progressOf, showingWaits } from './reembed-slice.ts';

const FORGET_BATCH = 2_000;
/** So often in a row the index may have fewer objects than the rows say before everything is written again. */
const DISAGREEMENTS_BEFORE_REWRITE = 3;
/** After everything was written again twice, somebody has to look. */
const MAX_DISAGREEMENTS = 9;
const UNBUILT =
  'Contents were published that the new index does not have: they are written before searches switch to it. ' +
  'If this goes on, uploads come faster than the new embedder works: let them rest for a moment.';

type SwitchServices = Pick<WorkerServices, 'stores' | 'vectors' | 'log'>;

/** How a re-embedding ends after its retired index is dropped. */
const OUTCOME: Partial<Record<ReembeddingStatus, ReembeddingStatus>> = {
  switched: 'completed',
  cancelling: 'cancelled',
  failing: 'failed',
};

export async function beginReembedding(services: SwitchServices, args: ReembedArgs): Promise<ReembedProgress> {
  return showingWaits(services, args, async () => {
    await ensureNewTenant(services, args);
    await services.stores.reembeddings.begin(workspaceScope(args), args.reembedding_id);
    return findReembedding(services, args);
  });
}

async function ensureNewTenant({ stores, vectors }: SwitchServices, args: ReembedArgs): Promise<void> {
  const generations = await stores.generations.list(workspaceScope(args), args.collection_id);
  const building = generations.find(({ status }) => status === 'building');
  if (building) await vectors.ensureTenant(building.space, building.tenant);
}

export async function findReembedding(
  { stores }: Pick<WorkerServices, 'stores'>,
  args: ReembedArgs,
): Promise<ReembedProgress> {
  return progressOf(await stores.reembeddings.state(workspaceScope(args), args.reembedding_id));
}

/**
 * Switches searches to the new index when it has every published content. Publications wait for the lock meanwhile; one that was
 * prepared for the old index alone is then refused, and its content is indexed again.
 */
export async function switchIndex(services: SwitchServices, args: ReembedArgs): Promise<ReembedProgress> {
  return showingWaits(services, args, async () => {
    const { stores } = services;
    const scope = workspaceScope(args);
    const state = await stores.reembeddings.state(scope, args.reembedding_id);
    const build = { collectionId: args.collection_id, number: state.generation };
    if (state.status !== 'building') return progressOf(state);
    // Without the lock first: this reads every content, and asks the index.
    let isComplete = !(await stores.builtContents.isAnyUnbuilt(scope, build));
    const counts = isComplete ? await countBoth(services, args, build) : null;
    if (counts && counts.objects < counts.chunks) {
      await mendDisagreement(services, args, { build, counts });
    } else if (counts) {
      await stores.reembeddings.countDisagreement(scope, args.reembedding_id, false);
      isComplete = await stores.transaction((inside) => switchWhenBuilt(inside, args, { build, counts }));
    }
    if (!isComplete) await stores.reembeddings.showWaiting(scope, args.reembedding_id, UNBUILT);
    return findReembedding(services, args);
  });
}

type Counts = { contents: number; chunks: number; objects: number };

/**
 * Counts the published contents and their chunks, and the objects of the new index, which has more of them while contents are in
 * progress or deleted. It cannot have fewer than the chunks at the time of its count, which are between the two counts of the rows.
 */
async function countBoth(
  { stores, vectors }: SwitchServices,
  args: ReembedArgs,
  build: BuildKey,
): Promise<Counts | null> {
  const scope = workspaceScope(args);
  const generations = await stores.generations.list(scope, args.collection_id);
  const building = generations.find((one) => one.number === build.number && one.status === 'building');
  if (!building) return null;
  const before = await stores.builtContents.countPublished(scope, build);
  const objects = await vectors.countObjects(building.space, building.tenant, {});
  const after = await stores.builtContents.countPublished(scope, build);
  return { contents: after.contents, chunks: Math.min(before.chunks, after.chunks), objects };
}

/** Switches in the transaction of the stores, unless somebody has stopped it. False when something is left to write. */
async function switchWhenBuilt(
  stores: Stores,
  args: ReembedArgs,
  { build, counts }: { build: BuildKey; counts: Counts },
): Promise<boolean> {
  const scope = workspaceScope(args);
  const locked = await stores.reembeddings.lock(scope, args.collection_id);
  if (locked?.id !== args.reembedding_id || locked.status !== 'building') return true;
  const generations = await stores.generations.lock(scope, args.collection_id);
  if (await stores.builtContents.isAnyUnbuilt(scope, build)) return false;
  for (const { status, number } of generations)
    if (status === 'active') await stores.generations.setStatus(scope, { ...build, number }, 'retired');
  await stores.generations.setStatus(scope, build, 'active');
  await stores.builtContents.restartRuns(scope, args.collection_id);
  await stores.reembeddings.setCounts(scope, args.reembedding_id, counts.contents);
  const change = { from: ['building'], to: 'switched', message: null } as const;
  await stores.reembeddings.setStatus(scope, args.reembedding_id, change);
  return true;
}

/**
 * When the index has fewer objects than the rows say, as after a loss of its data: counts again at first, then has everything written
 * again, where vectors that the index still has are not computed again, and pauses if that does not help.
 */
async function mendDisagreement(
  services: SwitchServices,
  args: ReembedArgs,
  { build, counts }: { build: BuildKey; counts: Counts },
): Promise<void> {
  const { stores, log } = services;
  const [scope, id] = [workspaceScope(args), args.reembedding_id];
  await ensureNewTenant(services, args);
  const found = `The new index has ${counts.objects} objects for ${counts.chunks} chunks`;
  const times = await stores.reembeddings.countDisagreement(scope, id, true);
  if (times >= MAX_DISAGREEMENTS) {
    const message = `${found}, also after it was written again: see the log of Weaviate, then resume the re-embedding, or cancel it.`;
    await stores.reembeddings.setStatus(scope, id, { from: ['building'], to: 'paused', message });
    return;
  }
  if (times % DISAGREEMENTS_BEFORE_REWRITE !== 0)
    return stores.reembeddings.showWaiting(scope, id, `${found}: they will be counted again.`);
  const { workspace_id, collection_id } = args;
  log.warn({ workspace_id, collection_id, ...counts }, 'the new index has lost objects; it is written again');
  for (let forgotten = FORGET_BATCH; forgotten === FORGET_BATCH;)
    forgotten = await stores.builtContents.forget(scope, build, FORGET_BATCH);
  await stores.reembeddings.showWaiting(scope, id, `${found}: everything is written again.`);
}

/**
 * After an error that retries have not mended. A text that the new embedder rejects ends the change; any other error pauses it, and
 * what is built stays.
 */
export async function stopReembedding(
  services: SwitchServices,
  args: ReembedArgs & { code: ErrorCode; message: string },
): Promise<ReembedProgress> {
  const scope = workspaceScope(args);
  await services.stores.transaction(async (stores) => {
    if (args.code !== 'embedding_rejected') {
      const message = `${args.message} The re-embedding is paused: fix the cause and resume it, or cancel it.`;
      const pause = { from: ['pending', 'building'], to: 'paused', message } as const;
      await stores.reembeddings.setStatus(scope, args.reembedding_id, pause);
      return;
    }
    const change = { from: ['pending', 'building', 'paused'], to: 'failing', message: args.message } as const;
    if (!(await stores.reembeddings.setStatus(scope, args.reembedding_id, change))) return;
    await stores.generations.retireBuilding(scope, args.collection_id);
  });
  return findReembedding(services, args);
}

/** The tenant is scheduled for the sweep first, which drops it again if a stale worker brings it back, or this process dies. */
export async function dropRetiredIndex(services: SwitchServices, args: ReembedArgs): Promise<ReembedProgress> {
  return showingWaits(services, args, async () => {
    const { stores, vectors } = services;
    const scope = workspaceScope(args);
    const state = await stores.reembeddings.state(scope, args.reembedding_id);
    const outcome = state.status === 'gone' ? undefined : OUTCOME[state.status];
    if (state.status === 'gone' || outcome === undefined) return progressOf(state);
    await stores.generations.scheduleDrop(scope, args.collection_id);
    for (const { status, space, tenant } of await stores.generations.list(scope, args.collection_id))
      if (status === 'retired') await vectors.dropTenant(space, tenant);
    await stores.transaction(async (inside) => {
      const found = await inside.reembeddings.lock(scope, args.collection_id);
      if (found?.id !== args.reembedding_id) return;
      await inside.generations.deleteRetired(scope, args.collection_id);
      const message = outcome === 'failed' ? found.status_message : null;
      await inside.reembeddings.setStatus(scope, args.reembedding_id, { from: [found.status], to: outcome, message });
    });
    return findReembedding(services, args);
  });
}
