import { chunkId } from '#domain/chunking/chunk-id.ts';
import type { EmbeddingSpace } from '#domain/embedder.ts';
import { isSettled, type ContentStatus } from '#domain/statuses.ts';
import type { BehindTheApi } from './behind-the-api.ts';

/** Counts of a workspace, and its inconsistencies, one line each. All lists are empty if the workspace is consistent. */
export type Census = {
  /** The number of contents, and of chunks of published versions. */
  contents: number;
  chunks: number;
  /** Chunks of published versions whose row or object is missing. */
  lost: string[];
  /** Chunks that exist twice. */
  duplicated: string[];
  /** Rows and objects that belong to no published version. */
  orphaned: string[];
  /** Unfinished contents, statuses that contradict the run, incomplete deletions, rows left in the outbox. */
  stuck: string[];
};

type Link = {
  content_id: string;
  collection_id: string;
  stage: ContentStatus;
  version: number;
  active_version: number | null;
  chunk_count: number;
  status: ContentStatus | null;
};
type Chunk = { id: string; content_id: string; collection_id: string; version: number; chunk_index: number };
type StoredObject = { id: string; content_id: string; version: number };
type Generation = { collection_id: string; tenant: string } & EmbeddingSpace;

/** Compares all chunk rows of a workspace with all objects in its tenants, and both with the published versions. */
export async function takeCensus(behind: BehindTheApi, workspaceId: string): Promise<Census> {
  const links = await behind.query<Link>(
    `select cc.content_id, cc.collection_id, cc.stage, cc.version, cc.active_version, cc.chunk_count, t.status
     from content_collections cc left join contents t on t.id = cc.content_id and t.collection_id = cc.collection_id
     where cc.workspace_id = :workspaceId`,
    { workspaceId },
  );
  const chunks = await behind.query<Chunk>(
    `select id, content_id, collection_id, version, chunk_index from chunks where workspace_id = :workspaceId`,
    { workspaceId },
  );
  const generations = await behind.query<Generation>(
    `select collection_id, tenant, provider, model, model_hash, dimensions from index_generations where workspace_id = :workspaceId`,
    { workspaceId },
  );
  const census: Census = {
    contents: links.length,
    chunks: 0,
    lost: [],
    duplicated: [],
    orphaned: [],
    stuck: [...stuckContents(links), ...(await unfinishedWork(behind, workspaceId))],
  };
  for (const generation of generations) {
    const isInCollection = (one: { collection_id: string }) => one.collection_id === generation.collection_id;
    const objects = await objectsOf(behind, generation);
    compare(census, { links: links.filter(isInCollection), chunks: chunks.filter(isInCollection), objects });
  }
  return census;
}

/** Whether nothing is lost, duplicated, orphaned or stuck. */
export function isSound(census: Census): boolean {
  return problemsOf(census).length === 0;
}

/** All inconsistencies, one line each. */
export function problemsOf({ lost, duplicated, orphaned, stuck }: Census): string[] {
  return [...lost, ...duplicated, ...orphaned, ...stuck];
}

type GenerationContents = { links: readonly Link[]; chunks: readonly Chunk[]; objects: readonly StoredObject[] };

function compare(census: Census, { links, chunks, objects }: GenerationContents): void {
  const keyOf = ({ content_id: contentId, version }: { content_id: string; version: number }) =>
    `content ${contentId} version ${version}`;
  const rowsBy = Map.groupBy(chunks, keyOf);
  const objectsBy = Map.groupBy(objects, keyOf);
  const published = new Set<string>();
  for (const { content_id, collection_id, active_version: version, chunk_count: count } of links) {
    if (version === null) continue;
    const key = keyOf({ content_id, version });
    published.add(key);
    census.chunks += count;
    const wanted = Array.from({ length: count }, (_, index) =>
      chunkId({ collectionId: collection_id, contentId: content_id, version, index }),
    );
    if (count === 0) census.lost.push(`${key}: published without a chunk`);
    for (const [what, there] of [
      ['rows', (rowsBy.get(key) ?? []).map(({ id }) => id)],
      ['objects', (objectsBy.get(key) ?? []).map(({ id }) => id)],
    ] as const) {
      const ids = new Set(there);
      const missing = wanted.filter((id) => !ids.has(id)).length;
      if (missing > 0) census.lost.push(`${key}: ${missing} of ${count} ${what} are missing`);
      if (ids.size < there.length) census.duplicated.push(`${key}: ${there.length - ids.size} ${what} are there twice`);
      const surplus = ids.size - (count - missing);
      if (surplus > 0) census.orphaned.push(`${key}: ${surplus} ${what} beyond the ${count} published`);
    }
  }
  for (const [what, groups] of [
    ['rows', rowsBy],
    ['objects', objectsBy],
  ] as const) {
    for (const [key, found] of groups) {
      if (!published.has(key)) census.orphaned.push(`${key}: ${found.length} ${what} of no published version`);
    }
  }
}

function stuckContents(links: readonly Link[]): string[] {
  return links.flatMap(({ content_id: id, stage, status }) => {
    if (!isSettled(stage)) return [`content ${id}: still ${stage}`];
    return status === null || status === stage ? [] : [`content ${id}: shows ${status} and is ${stage}`];
  });
}

async function unfinishedWork(behind: BehindTheApi, workspaceId: string): Promise<string[]> {
  const outbox = await behind.query<{ workflow_id: string; state: string; last_error: string | null }>(
    `select workflow_id, state, last_error from outbox where workspace_id = :workspaceId`,
    { workspaceId },
  );
  const deletions = await behind.query<{ id: string; status: string }>(
    `select id, status from deletions where workspace_id = :workspaceId and (status <> 'completed' or verified_at is null)`,
    { workspaceId },
  );
  const unlinked = await behind.query<{ id: string }>(
    `select id from contents t where workspace_id = :workspaceId
       and not exists (select 1 from content_collections cc where cc.content_id = t.id)`,
    { workspaceId },
  );
  const crawls = await behind.query<{ id: string; waiting: number }>(
    `select id, (select count(*) from crawl_pages p where p.crawl_id = c.id and p.state = 'waiting') as waiting from crawls c
     where workspace_id = :workspaceId and (state = 'running' or exists (
       select 1 from crawl_pages p where p.crawl_id = c.id and p.state = 'waiting'))`,
    { workspaceId },
  );
  return [
    ...crawls.map(({ id, waiting }) => `crawl ${id}: running, or ${waiting} pages waiting`),
    ...outbox.map((row) => `outbox: ${row.workflow_id} is ${row.state} ${row.last_error ?? ''}`),
    ...deletions.map(({ id, status }) => `deletion ${id}: ${status}`),
    ...unlinked.map(({ id }) => `content ${id}: in no collection`),
  ];
}

async function objectsOf({ vectors }: BehindTheApi, generation: Generation): Promise<StoredObject[]> {
  const { tenant, provider, model, model_hash, dimensions } = generation;
  const objects: StoredObject[] = [];
  for (let cursor: string | null = null; ;) {
    const page = await vectors.readObjects({ provider, model, model_hash, dimensions }, tenant, cursor);
    objects.push(...page.objects);
    cursor = page.nextCursor;
    if (cursor === null) return objects;
  }
}
