import { setImmediate } from 'node:timers/promises';
import type { Caller } from '#domain/access/caller.ts';
import { storedText } from '#domain/chunking/chunker.ts';
import type { Highlight, NeighbourChunk } from '#domain/records/search-options.ts';
import type { SearchRequest, SearchResult } from '#domain/records/search.ts';
import { bestPassage } from '#domain/search/best-passage.ts';
import { createMatcher, type QueryMatcher } from '#domain/search/find-matches.ts';
import type { ChunkNeighbour } from '#store/contents/chunk-neighbours.ts';
import { fetchEmbeddings } from '#operations/contents/chunks.ts';
import type { Services } from '#operations/services.ts';
import type { SelectedHit } from './select-hits.ts';

type Selected = { request: SearchRequest; hits: readonly SelectedHit[] };

/** Presents hits as results, with what the request asks for: highlight, neighbours, vectors. */
export async function addExtras(services: Services, caller: Caller, selected: Selected): Promise<SearchResult[]> {
  const { request, hits } = selected;
  const rows = hits.map(({ row }) => row);
  const ids = rows.map(({ id }) => id);
  const [neighbours, embeddings] = await Promise.all([
    request.expand && services.stores.chunks.findNeighbours(caller.scope, { ids, ...request.expand }),
    request.include_embedding === true ? fetchEmbeddings(services, caller, rows) : undefined,
  ]);
  const near = neighbours && Map.groupBy(neighbours, ({ of }) => of);
  const { highlight } = request;
  const matcher = highlight && createMatcher(request.query);
  const results: SearchResult[] = [];
  for (const hit of hits) {
    // Each text is read as a whole: other requests go on in between.
    if (matcher) await setImmediate();
    results.push({
      ...toResult(hit, request),
      ...(matcher && { highlight: highlightOf(hit.row, matcher, highlight.max_characters) }),
      ...(near === undefined ? {} : neighboursOf(hit, near.get(hit.row.id) ?? [])),
      ...(embeddings === undefined ? {} : { embedding: embeddings.get(hit.row.id) ?? null }),
    });
  }
  return results;
}

function toResult(selected: SelectedHit, { explain, rerank }: SearchRequest): SearchResult {
  const { row, hit, relevance } = selected;
  const reranking = rerank === undefined || rerank === false ? {} : { rerank: selected.rerank };
  const chunk = { ...row.metadata, id: row.id, index: row.chunk_index };
  return {
    content: row.content,
    score: hit.score,
    // A key `chunk` of the content's own metadata stays as it was stored.
    metadata: { chunk, ...row.content_metadata },
    chunk,
    content_id: row.content_id,
    collection_id: row.collection_id,
    source: row.url ?? row.name,
    ...(explain && hit.legs !== null ? { explain: { ...hit.legs, ...reranking } } : {}),
    ...(relevance === null ? {} : { relevance }),
  };
}

function highlightOf(row: SelectedHit['row'], matcher: QueryMatcher, maxCharacters: number): Highlight {
  const { content: text } = row;
  const { start, end, matches } = bestPassage(text, matcher.findMatches(text, storedText(row)), maxCharacters);
  const places = matches.map((match) => ({ start: match.start, end: match.end, query_word: match.queryWord }));
  return { text: text.slice(start, end), start, end, matches: places };
}

function neighboursOf({ row }: SelectedHit, near: readonly ChunkNeighbour[]) {
  const toChunk = ({ id, chunk_index: index, content }: ChunkNeighbour): NeighbourChunk => ({ id, index, content });
  return {
    before: near.filter((one) => one.chunk_index < row.chunk_index).map(toChunk),
    after: near.filter((one) => one.chunk_index > row.chunk_index).map(toChunk),
  };
}
