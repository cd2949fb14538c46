import { Content, ContentChunksResponse } from '#domain/records/content.ts';
import { Deletion } from '#domain/records/deletion.ts';
import { SearchResponse, type SearchType } from '#domain/records/search.ts';
import type { ApiClient } from '#test/support/harness/api-client.ts';
import type { BehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { isSound, takeCensus, type Census } from '#test/support/harness/census.ts';
import type { Acknowledged } from './round.ts';

/** What a campaign left behind. */
export type Judgement = {
  census: Census;
  /** Lines about contents that did not become what they had to. */
  wrongFates: string[];
  /** Ready contents that a search for their own sentence, or for the text of a chunk of theirs, does not find. */
  unfound: string[];
  /** Orphans that stalled workers had left, before the later passes came. */
  orphansBefore: number;
};

const CENSUS_MS = 120_000;

type Court = { api: ApiClient; behind: BehindTheApi; workspaceId: string };

/** Waits until the upkeep has done its work, then asks after every content that was acknowledged. */
export async function judge(court: Court, contents: readonly Acknowledged[]): Promise<Judgement> {
  const first = await takeCensus(court.behind, court.workspaceId);
  const census = await lastCensus(court);
  const wrongFates: string[] = [];
  const unfound: string[] = [];
  for (const content of contents) {
    const wrong = await wrongFate(court.api, content);
    if (wrong !== null) wrongFates.push(`${content.contentId} (${content.sentence}): ${wrong}`);
    else if (content.fate === 'ready') unfound.push(...(await missedSearches(court.api, content)));
  }
  return { census, wrongFates, unfound, orphansBefore: first.orphaned.length };
}

async function lastCensus({ behind, workspaceId }: Court): Promise<Census> {
  const deadline = performance.now() + CENSUS_MS;
  for (;;) {
    await behind.makeDue(workspaceId);
    const census = await takeCensus(behind, workspaceId);
    if (isSound(census) || performance.now() > deadline) return census;
  }
}

async function wrongFate(api: ApiClient, { contentId, fate, deletionId }: Acknowledged): Promise<string | null> {
  if (fate === 'deleted') {
    const { status, verified_at: verifiedAt } = await api.get(`/deletions/${deletionId}`, Deletion);
    if (status !== 'completed' || verifiedAt === null) return `its receipt is ${status}`;
    const answer = await api.send(`/contents/${contentId}`);
    return answer.status === 404 ? null : `deleted, and yet it answers ${answer.status}`;
  }
  const answer = await api.send(`/contents/${contentId}`);
  if (!answer.ok) return `answers ${answer.status}`;
  const { status, status_message: message } = Content.parse(await answer.json());
  return status === fate ? null : `is ${status} (${message}) and has to be ${fate}`;
}

/** Of a short chunk, the headings that were embedded with it may be half the text: others can be nearer to the rest. */
const AMONG_THE_NEAREST = 100;

/** The sentence by words, and the whole text of a chunk by its vector. */
async function missedSearches(api: ApiClient, { contentId, collectionId, sentence }: Acknowledged): Promise<string[]> {
  const path = `/contents/${contentId}/chunks?collection_id=${collectionId}`;
  const { chunks } = await api.get(path, ContentChunksResponse);
  const text = chunks.at(-1)?.content ?? '';
  const asked: readonly [SearchType, string, number][] = [
    ['hybrid', sentence, 10],
    ['keyword', sentence, 10],
    ['vector', text, AMONG_THE_NEAREST],
  ];
  const missed: string[] = [];
  for (const [type, query, limit] of asked) {
    const json = { collection_id: collectionId, query, search_type: type, max_results: limit };
    const { results } = await api.post('/collections/search', SearchResponse, { json });
    if (!results.some((result) => result.content_id === contentId))
      missed.push(`${contentId}: ${type} does not find "${query.slice(-80)}"`);
  }
  return missed;
}
