import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { chunkId } from '#domain/chunking/chunk-id.ts';
import type { Caller } from '#domain/access/caller.ts';
import { CreateCollectionRequest } from '#domain/records/collection.ts';
import type { Scope } from '#domain/access/scope.ts';
import { createLexicalEmbedder } from '#providers/embedders/index.ts';
import type { NewChunk } from '#store/contents/chunks.ts';
import { query, type Database } from '#store/postgres.ts';
import type { Publication } from '#store/uploads/publications.ts';
import type { RunContents } from '#store/uploads/run-work.ts';
import { createStores, type Stores } from '#store/stores.ts';
import type { VectorIndex } from '#store/weaviate/vector-index.ts';

/** A collection in a new workspace, and a caller with every permission in it. */
export type Place = { stores: Stores; database: Database; scope: Scope; collectionId: string; caller: Caller };

export async function makePlace(database: Database): Promise<Place> {
  const stores = createStores(database);
  const scope = { workspaceId: await stores.system.insertWorkspace('a test'), collectionIds: null };
  const request = CreateCollectionRequest.parse({ name: 'a test' });
  const { space } = createLexicalEmbedder();
  const collectionId = await stores.collections.insert(scope, { ...request, createdBy: 'a test' }, space);
  const caller = {
    scope,
    apiKeyId: randomUUID(),
    userId: null,
    permissions: ['*'],
    principal: 'a test',
    workspaceIds: [scope.workspaceId],
  };
  return { stores, database, scope, collectionId, caller };
}

/** A user of a workspace with every permission. */
export function userOf(workspaceId: string, userId = 'ada'): Caller {
  return {
    scope: { workspaceId, collectionIds: null },
    apiKeyId: null,
    userId,
    permissions: ['*'],
    principal: `user/${userId}`,
    workspaceIds: [workspaceId],
  };
}

/** Inserts contents of one run as an upload does: pending, in version 1, and without a workflow. */
export async function addContents(place: Place, count = 1): Promise<RunContents> {
  const { stores, scope, collectionId } = place;
  const runId = uuidv7();
  const contentIds = Array.from({ length: count }, () => uuidv7());
  const plain = { description: null, metadata: {}, type: 'text/plain', size: 1, file_data: {}, external_id: null };
  const contents = contentIds.map((id) => ({
    ...plain,
    id,
    name: id,
    content_hash: null,
    source: 'text' as const,
    url: null,
    created_by: 'a test',
    status: 'pending',
  }));
  await stores.contents.insert(scope, collectionId, contents);
  const run = { upload_id: null, run_id: runId, workflow_id: null, stage: 'pending' as const, reader: 'native' };
  const runs = contentIds.map((content_id) => ({ ...run, content_id, dedupe_key: null, external_id: null }));
  await stores.runControl.insert(scope, collectionId, runs);
  return { collectionId, runId, contentIds };
}

/** Chunk rows of one version of the contents, `each` rows per content. */
export function chunkRows(run: RunContents, { version = 1, each = 2 } = {}): NewChunk[] {
  return run.contentIds.flatMap((content_id) =>
    Array.from({ length: each }, (_, index) => ({
      id: chunkId({ collectionId: run.collectionId, contentId: content_id, version, index }),
      content_id,
      version,
      chunk_index: index,
      content: `chunk ${index} of version ${version}`,
      context: '',
      size: 20,
      tokens: 5,
      metadata: { page: null, heading_path: [], start: 0, end: 20, tokens: 5 },
    })),
  );
}

/** Takes the contents of a run through all stages but the last: read, split and indexed, but not published. */
export async function makeReady(place: Place, run: RunContents, { version = 1, each = 2 } = {}): Promise<void> {
  const { scope, stores } = place;
  await stores.runs.begin(scope, run, { stage: 'reading', upTo: 'splitting' });
  await stores.chunks.insert(scope, run, chunkRows(run, { version, each }));
  const finished = run.contentIds.map((content_id) => ({
    content_id,
    version,
    planned_chunks: each,
    text_sha256: `text-${content_id}-${version}`,
    file_data: {},
  }));
  await stores.runs.finishRead(scope, run, { finished, isShown: true });
  const index = { ...run, tenant: firstTenant(run), epoch: 0 };
  await stores.chunks.advanceIndexed(scope, index, new Map(run.contentIds.map((id) => [id, each])));
}

/** A publication of all contents of a run that `makeReady` has prepared. */
export function publicationOf(
  run: RunContents,
  { each = 2, config = { embedder: 'lexical/test' } }: { each?: number; config?: Record<string, unknown> } = {},
): Publication {
  return {
    contents: run.contentIds.map((content_id) => ({ content_id, chunks: each })),
    config,
    tenant: firstTenant(run),
    epoch: 0,
  };
}

/** The tenant of the index with which a collection is created. */
export function firstTenant({ collectionId }: Pick<RunContents, 'collectionId'>): string {
  return `${collectionId}-1`;
}

/** Starts a new run of the next version for the contents, as a retry or a second upload does. */
export async function restart(place: Place, contentIds: readonly string[]): Promise<RunContents> {
  const { scope, collectionId } = place;
  const runId = uuidv7();
  await place.stores.runControl.restart(scope, collectionId, { contentIds, runId, workflowId: null, stage: 'pending' });
  return { collectionId, runId, contentIds };
}

/** The index of the collection of a place. `index` writes objects as a worker does, whether or not it still owns the run. */
export async function openIndexOf({ stores, scope, collectionId }: Place, vectors: VectorIndex) {
  const found = await stores.collections.findIndex(scope, collectionId);
  if (!found) throw new Error('the collection has no index');
  const { space, tenant } = found.index;
  await vectors.ensureTenant(space, tenant);
  const index = async (run: RunContents, version: number) => {
    const vector = new Float32Array(space.dimensions).fill(1 / Math.sqrt(space.dimensions));
    const objects = chunkRows(run, { version }).map(({ id, content_id, content: text }) => ({
      id,
      content_id,
      version,
      text,
      facets: [],
      vector,
    }));
    await vectors.writeObjects(space, tenant, objects);
  };
  return { space, tenant, index };
}

/** All rows of a workspace in the tables that runs write to, by table. */
export async function rowsOf({ database, scope }: Place): Promise<Record<string, unknown[]>> {
  const tables = ['content_collections', 'contents', 'chunks', 'workspaces'] as const;
  const rows = await Promise.all(
    tables.map(async (table) => {
      const where = table === 'workspaces' ? 'id' : 'workspace_id';
      const sql = `select to_jsonb(x) as row from ${table} x where ${where} = :workspaceId order by 1`;
      return [table, await query<{ row: unknown }>(database, sql, { workspaceId: scope.workspaceId })] as const;
    }),
  );
  return Object.fromEntries(rows);
}

/** How many statements of the tests in this database wait for a lock that another transaction holds. */
export async function countWaiting(database: Database): Promise<number> {
  const sql = `select count(*) as count from pg_stat_activity
    where datname = current_database() and application_name = 'loci-test' and wait_event_type = 'Lock'`;
  const [row] = await query<{ count: number }>(database, sql);
  return row?.count ?? 0;
}
