import type { Caller } from '#domain/access/caller.ts';
import { resolveField } from '#domain/filters/fields.ts';
import { NO_FIELDS, toFilterRecord, type ContentFields } from '#domain/filters/filter-record.ts';
import { readsChunk, type Filter } from '#domain/filters/filter.ts';
import { createChunkTest } from '#domain/filters/matches-filter.ts';
import { fieldsOfFilter, neededFields, readsMetadata, type NeededFields } from '#domain/filters/needed-fields.ts';
import type { SearchRequest } from '#domain/records/search.ts';
import { recencyFactor } from '#domain/search/recency.ts';
import type { ChunkHit } from '#store/contents/chunk-hits.ts';
import type { Hit } from '#store/weaviate/vector-index.ts';
import { createPause } from '#operations/pause.ts';
import type { Services } from '#operations/services.ts';
import type { ChunkRow, VerifiedHit } from './verified-hit.ts';

type Conditions = { filter: Filter | null; recency: SearchRequest['recency'] };
type Candidates = Conditions & {
  hits: readonly Hit[];
  collectionIds: ReadonlySet<string>;
  /** There are more hits than results: only what decides about them is read. */
  isWide: boolean;
  signal?: AbortSignal | undefined;
};

/** Contents whose metadata is in memory at the same time. */
const CONTENTS_AT_ONCE = 100;

/**
 * Returns the hits that are published in the collections, in the scope of the caller, and match the filter.
 * @throws the reason of the signal.
 */
export async function verifyHits(services: Services, caller: Caller, candidates: Candidates): Promise<VerifiedHit[]> {
  const { hits, collectionIds } = candidates;
  const ids = hits.map((hit) => hit.id);
  const found = candidates.isWide
    ? await verifyMany(services, caller, { ...candidates, ids })
    : await verifyFew(services, caller, { ...candidates, ids });
  const byId = new Map(found.map((one) => [one.row.id, one]));
  return hits.flatMap((hit) => {
    const verified = byId.get(hit.id);
    return verified && collectionIds.has(verified.row.collection_id) ? [{ ...verified, hit }] : [];
  });
}

type Verified = Omit<VerifiedHit, 'hit'>;
type Asked = Conditions & { ids: readonly string[]; signal?: AbortSignal | undefined };

async function verifyFew(
  services: Services,
  caller: Caller,
  { ids, signal, ...conditions }: Asked,
): Promise<Verified[]> {
  const rows = await services.stores.chunks.findPublished(caller.scope, ids);
  const judge = judgeOf(services, conditions);
  const pause = createPause(signal);
  const verified: Verified[] = [];
  for (const ofContent of Map.groupBy(rows, (row) => row.content_id).values()) {
    const [first] = ofContent;
    const boostOf = judge(fieldsOfRow(first));
    for (const row of ofContent) {
      const boost = boostOf(row);
      if (boost !== null) verified.push({ row, boost });
    }
    await pause();
  }
  return verified;
}

async function verifyMany(
  services: Services,
  caller: Caller,
  { ids, signal, ...conditions }: Asked,
): Promise<Verified[]> {
  const { filter, recency } = conditions;
  const withMetadata = filter !== null && readsChunk(filter);
  const rows = await services.stores.chunks.findHits(caller.scope, { ids, withMetadata });
  const date = recency && resolveField(recency.field);
  const needed = neededFields([...(date ? [date] : []), ...fieldsOfFilter(filter)]);
  const judge = judgeOf(services, conditions);
  const pause = createPause(signal);
  const verified: Verified[] = [];
  for await (const [fields, ofContent] of withFields(services, caller, { rows, needed })) {
    const boostOf = judge(fields);
    for (const { metadata, ...row } of ofContent) {
      const boost = boostOf({ metadata });
      if (boost !== null) verified.push({ row, boost });
    }
    await pause();
  }
  return verified;
}

/** Yields the chunks of each content with those of its fields that are needed; the fields of a content are read once. */
async function* withFields(
  services: Services,
  caller: Caller,
  { rows, needed }: { rows: readonly ChunkHit[]; needed: NeededFields },
): AsyncGenerator<[ContentFields | null, readonly ChunkHit[]]> {
  if (needed.columns.size === 0 && !readsMetadata(needed)) {
    yield [null, rows];
    return;
  }
  const byContent = Map.groupBy(rows, (row) => row.content_id);
  const contentIds = [...byContent.keys()];
  const atOnce = readsMetadata(needed) ? CONTENTS_AT_ONCE : contentIds.length;
  for (let start = 0; start < contentIds.length; start += atOnce) {
    const ids = contentIds.slice(start, start + atOnce);
    const fields = await services.stores.contents.findFields(caller.scope, { ids, needed });
    for (const [id, ofContent] of fields) yield [ofContent, byContent.get(id) ?? []];
  }
}

/**
 * Returns what judges a content once for all of its chunks: it returns what tells the boost of a chunk, null when the filter
 * excludes it. Without conditions on contents their fields are null.
 */
function judgeOf(services: Services, { filter, recency }: Conditions) {
  const nowMs = services.clock.now().getTime();
  return (fields: ContentFields | null) => {
    const record = toFilterRecord(fields ?? NO_FIELDS, {});
    const test = filter === null ? null : createChunkTest(filter, record);
    const boost = recency === undefined ? 1 : recencyFactor(record, recency, nowMs);
    return ({ metadata }: Pick<ChunkHit, 'metadata'>): number | null =>
      test === null || test(metadata ?? {}) ? boost : null;
  };
}

function fieldsOfRow(row: ChunkRow | undefined): ContentFields | null {
  if (row === undefined) return null;
  return { ...row, size: row.content_size, created_at: row.content_created_at, metadata: row.content_metadata };
}
