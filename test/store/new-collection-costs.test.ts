import { createHash } from 'node:crypto';
import test from 'ava';
import { v7 as uuidv7 } from 'uuid';
import { measureStatements, type StoreCall } from '#bench/scale/measure-statements.ts';
import { openIngestion, type TextIngestion } from '#bench/scale/ingest-text.ts';
import { chunkId } from '#domain/chunking/chunk-id.ts';
import { query, type Database } from '#store/postgres.ts';
import { createStores, type Stores } from '#store/stores.ts';
import { openFilledDatabase } from './filled-database.ts';

const SMALL = { chunks: 2_000, contents: 2_000, collections: 400, memories: 10, deliveries: 10 };
const GROWTH = 6;
const CONTENTS = 300;
/** Contents that are ingested together. */
const GROUP = 30;

const CONFIG = { chunker: 'structure', embedder: 'lexical/lexical' };

type Upload = TextIngestion & { runId: string; contentIds: string[] };

/** Accepts texts into a new collection, as the API does. */
async function acceptTexts(stores: Stores, count: number): Promise<Upload> {
  const ingestion = await openIngestion(stores);
  const { scope, collectionId } = ingestion;
  const runId = uuidv7();
  const contentIds = Array.from({ length: count }, () => uuidv7());
  const workflowId = `ingestUpload/${runId}`;
  await stores.transaction(async (accepting) => {
    await accepting.contents.insert(
      scope,
      collectionId,
      contentIds.map((id) => ({
        id,
        name: `text ${id}`,
        description: null,
        metadata: {},
        type: 'text/plain',
        size: 200,
        content_hash: hashOf(id),
        file_data: {},
        external_id: null,
        source: 'text',
        url: null,
        created_by: 'a test',
        status: 'pending',
      })),
    );
    const run = { upload_id: runId, run_id: runId, workflow_id: workflowId, stage: 'pending' as const };
    await accepting.runControl.insert(
      scope,
      collectionId,
      contentIds.map((id) => ({
        ...run,
        content_id: id,
        reader: 'native',
        dedupe_key: hashOf(id),
        external_id: null,
      })),
    );
    const upload = { id: runId, collectionId, contentType: 'text', ingest: true, workflowId, total: count, errors: [] };
    await accepting.uploads.insert(scope, { ...upload, createdBy: 'a test', contentIds, isCounted: true });
  });
  return { ...ingestion, runId, contentIds };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The steps of an ingestion, in their order. */
function ingestionSteps({ scope, collectionId, runId, contentIds }: Upload): StoreCall[] {
  const group = contentIds.slice(0, GROUP);
  const [runRef, tenant] = [{ collectionId, runId }, `${collectionId}-1`];
  const run = { ...runRef, contentIds: group };
  const steps: [string, StoreCall['call']][] = [
    [
      'find what exists',
      ({ existingContents }) => {
        const dedupeKeys = group.map((id) => hashOf(`another ${id}`));
        return existingContents.findForUpdate(scope, collectionId, { dedupeKeys, externalIds: dedupeKeys });
      },
    ],
    ['list the work', ({ runs }) => runs.listWork(scope, run)],
    ['claim', ({ runs }) => runs.begin(scope, run, { stage: 'reading', upTo: 'splitting' })],
    ['show what is waited for', ({ runs }) => runs.showWaiting(scope, run, 'The embedding server is busy.')],
    ['show a stage', ({ runs }) => runs.show(scope, run, 'splitting')],
    [
      'insert chunks',
      ({ chunks }) =>
        chunks.insert(
          scope,
          runRef,
          group.map((id) => chunkOf(collectionId, id)),
        ),
    ],
    ['finish reading', ({ runs }) => runs.finishRead(scope, run, { finished: group.map(finishedRead), isShown: true })],
    ['next chunks', ({ chunks }) => chunks.nextToIndex(scope, run, { after: null, limit: 128 })],
    ['filter fields', ({ publications }) => publications.facettable(scope, collectionId, group)],
    ['forgive an attempt', ({ runs }) => runs.forgiveAttempt(scope, run)],
    [
      'record what is indexed',
      ({ chunks }) =>
        chunks.advanceIndexed(scope, { ...runRef, tenant, epoch: 0 }, new Map(group.map((id) => [id, 0]))),
    ],
    [
      'publish',
      ({ publications }) => {
        const contents = group.map((id) => ({ content_id: id, chunks: 1 }));
        return publications.publish(scope, runRef, { contents, config: CONFIG, tenant, epoch: 0 });
      },
    ],
    ['list what is stale', ({ publications }) => publications.listStale(scope, collectionId, group)],
    ['list what no workflow writes', ({ publications }) => publications.listUnprojected(scope, runRef, 500)],
    ['read the stages', ({ runs }) => runs.stagesOf(scope, run)],
    [
      'fail',
      ({ runs }) => {
        const others = contentIds.slice(GROUP, 2 * GROUP);
        return runs.fail(
          scope,
          runRef,
          others.map((id) => ({ content_id: id, code: 'unreadable', message: 'Damaged.' })),
        );
      },
    ],
  ];
  return steps.map(([what, call]) => ({ what, workspaceId: scope.workspaceId, call }));
}

function chunkOf(collectionId: string, contentId: string) {
  const metadata = { page: null, heading_path: [], start: 0, end: 200, tokens: 40 };
  return {
    id: chunkId({ collectionId, contentId, version: 1, index: 0 }),
    content_id: contentId,
    version: 1,
    chunk_index: 0,
    content: `text ${contentId}`,
    context: '',
    size: 200,
    tokens: 40,
    metadata,
  };
}

function finishedRead(contentId: string) {
  const text = { key: `${contentId}/native/3`, facts: { bytes: 200, pages: [] } };
  return {
    content_id: contentId,
    version: 1,
    planned_chunks: 1,
    text_sha256: hashOf(contentId),
    text,
    file_data: { characters: 200 },
  };
}

/** Rows that each step of an ingestion into a new collection goes through. */
async function rowsOf(database: Database, count: number): Promise<Map<string, number>> {
  const stores = createStores(database);
  const upload = await acceptTexts(stores, count);
  const read = new Map<string, number>();
  for (const step of ingestionSteps(upload)) {
    const { rows } = await measureStatements(database, step, { repetitions: 0 });
    read.set(step.what, rows);
    await step.call(stores);
  }
  return read;
}

test('steps of an ingestion read the same of a small and a large new collection that statistics do not know yet', async (t) => {
  t.timeout(240_000);
  const { application, owner } = await openFilledDatabase(t, SMALL);
  for (const table of ['contents', 'content_collections', 'chunks'])
    await query(owner, `alter table ${table} set (autovacuum_enabled = false)`);
  const small = await rowsOf(application, CONTENTS);
  const large = await rowsOf(application, GROWTH * CONTENTS);
  const linear = [...small].flatMap(([what, before]) => {
    const after = large.get(what) ?? Infinity;
    return after <= before * 1.25 ? [] : [`${what}: ${before} rows, ${after} of ${GROWTH} times the contents`];
  });
  t.deepEqual(linear, []);
});
