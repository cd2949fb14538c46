import pLimit from 'p-limit';
import type { Scope } from '#domain/access/scope.ts';
import { storedText } from '#domain/chunking/chunker.ts';
import type { Embedder, EmbedOptions } from '#domain/embedder.ts';
import { toFilterRecord } from '#domain/filters/filter-record.ts';
import { chunkFacets, contentFacets } from '#domain/filters/facets.ts';
import type { IndexGeneration } from '#store/collections/collections.ts';
import type { ChunkToRewrite } from '#store/index/reindexings.ts';
import type { Stores } from '#store/stores.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/** Most chunks of a page. */
export const PAGE_SIZE = 128;
/** Most characters of a page, as when contents are ingested: a slow model takes minutes for 128 long chunks. */
const MAX_CHARACTERS = 24_000;
/** Most pages that are embedded at once: an embedding server is kept busy while earlier pages are written. */
export const PAGES_AT_ONCE = 4;
/** Each holds a connection to the database, and a worker may have several parts. */
const WRITES_AT_ONCE = 1;

/** Published chunks of a collection that are written to an index again, or to another one. */
export type Page = {
  collection: string;
  index: IndexGeneration;
  embedder: Embedder;
  rows: readonly ChunkToRewrite[];
};

/** Splits rows into pages, each of at least one, and returns the first of them. `rest`: how many rows are in none of these. */
export function firstPages<Row extends ChunkToRewrite>(
  rows: readonly Row[],
  atMost: number,
): { pages: Row[][]; rest: number } {
  const pages: Row[][] = [];
  let characters = 0;
  for (const [place, row] of rows.entries()) {
    const page = pages.at(-1);
    const { length } = storedText(row);
    characters += length;
    if (page && page.length < PAGE_SIZE && characters <= MAX_CHARACTERS) page.push(row);
    else {
      if (pages.length === atMost) return { pages, rest: rows.length - place };
      pages.push([row]);
      characters = length;
    }
  }
  return { pages, rest: 0 };
}

/** Embeds all pages at once, and writes each as soon as it is embedded and the one before is written. */
export function embedAndWrite<Rows, Vectors, Written>(
  pages: readonly Rows[],
  embed: (page: Rows) => Promise<Vectors>,
  write: (page: Rows, vectors: Vectors) => Promise<Written>,
): Promise<Written[]> {
  const writes = pLimit(WRITES_AT_ONCE);
  return Promise.all(
    pages.map(async (page) => {
      const vectors = await embed(page);
      return writes(() => write(page, vectors));
    }),
  );
}

/**
 * Returns the vectors of a page: those that the index has, and others from the embedder. A chunk keeps its id only as long as its
 * text is the same.
 */
export async function vectorsOf(
  { vectors }: Pick<WorkerServices, 'vectors'>,
  { index, embedder, rows }: Page,
  options: EmbedOptions,
): Promise<Float32Array[]> {
  const kept = await vectors.fetchVectors(
    index.space,
    index.tenant,
    rows.map(({ id }) => id),
  );
  const lost = rows.filter(({ id }) => !kept.has(id));
  const embedded = lost.length === 0 ? [] : await embedder.embed(lost.map(storedText), 'document', options);
  const made = new Map(lost.map(({ id }, place) => [id, embedded[place]]));
  return rows.map(({ id }) => {
    const vector = made.get(id) ?? kept.get(id);
    if (!vector) throw new Error('the embedder returned fewer vectors than texts');
    return Float32Array.from(vector);
  });
}

/**
 * Writes the chunks that are still published, under the lock of their filter fields, which lasts until the transaction of the
 * stores ends. Returns their number.
 */
export async function writePage(
  services: Pick<WorkerServices, 'stores' | 'vectors'>,
  scope: Scope,
  page: Page & { vectors: readonly Float32Array[] },
): Promise<number> {
  const { collection, index, rows, vectors } = page;
  const contentIds = [...new Set(rows.map((row) => row.content_id))];
  await services.stores.projections.lockContents(scope, collection, contentIds);
  const shared = await sharedFacets(services.stores, scope, { collection, contentIds });
  const objects = rows.flatMap((row, place) => {
    const [content, vector] = [shared.get(row.content_id), vectors[place]];
    if (!vector) throw new Error('the embedder returned fewer vectors than texts');
    if (content?.version !== row.version) return [];
    const facets = [...content.facets, ...chunkFacets(row.metadata)];
    return [{ id: row.id, content_id: row.content_id, version: row.version, text: storedText(row), facets, vector }];
  });
  // Existing objects may be incomplete.
  if (objects.length > 0) await services.vectors.rewriteObjects(index.space, index.tenant, objects);
  return objects.length;
}

async function sharedFacets(stores: Stores, scope: Scope, of: { collection: string; contentIds: string[] }) {
  const contents = await stores.publications.facettable(scope, of.collection, of.contentIds);
  return new Map(
    contents.map((content) => {
      const record = toFilterRecord(content, {});
      return [content.content_id, { version: content.version, facets: contentFacets(record.content, record.metadata) }];
    }),
  );
}
