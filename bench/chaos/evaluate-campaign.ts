import { Content, ContentChunksResponse } from '#domain/records/content.ts';
import { Deletion } from '#domain/records/deletion.ts';
import { SearchResponse, type SearchType } from '#domain/records/search.ts';
import type { ApiClient } from '#test/support/harness/api-client.ts';
import type { BehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { isSound, takeCensus, type Census } from '#test/support/harness/census.ts';
import type { AcknowledgedContent } from './round-result.ts';

/** Result of a campaign. */
export type CampaignEvaluation = {
  census: Census;
  /** One line for each content with an unexpected outcome. */
  wrongOutcomes: string[];
  /** Ready contents that a search for their sentence, or for the text of one of their chunks, does not find. */
  unfound: string[];
  /** Orphans of stalled workers before the later cleanup passes. */
  orphansBefore: number;
};

const CENSUS_TIMEOUT_MS = 120_000;

type EvaluationContext = { api: ApiClient; behind: BehindTheApi; workspaceId: string };

/** Waits for the maintenance loops, then checks every acknowledged content. */
export async function evaluateCampaign(
  context: EvaluationContext,
  contents: readonly AcknowledgedContent[],
): Promise<CampaignEvaluation> {
  const first = await takeCensus(context.behind, context.workspaceId);
  const census = await takeFinalCensus(context);
  const wrongOutcomes: string[] = [];
  const unfound: string[] = [];
  for (const content of contents) {
    const problem = await findWrongOutcome(context.api, content);
    if (problem !== null) wrongOutcomes.push(`${content.contentId} (${content.sentence}): ${problem}`);
    else if (content.expectedOutcome === 'ready') unfound.push(...(await findMissedSearches(context.api, content)));
  }
  return { census, wrongOutcomes, unfound, orphansBefore: first.orphaned.length };
}

async function takeFinalCensus({ behind, workspaceId }: EvaluationContext): Promise<Census> {
  const deadline = performance.now() + CENSUS_TIMEOUT_MS;
  for (;;) {
    await behind.makeDue(workspaceId);
    const census = await takeCensus(behind, workspaceId);
    if (isSound(census) || performance.now() > deadline) return census;
  }
}

async function findWrongOutcome(
  api: ApiClient,
  { contentId, expectedOutcome, deletionId }: AcknowledgedContent,
): Promise<string | null> {
  if (expectedOutcome === 'deleted') {
    const { status, verified_at: verifiedAt } = await api.get(`/deletions/${deletionId}`, Deletion);
    if (status !== 'completed' || verifiedAt === null) return `the status of its receipt is ${status}`;
    const answer = await api.send(`/contents/${contentId}`);
    return answer.status === 404 ? null : `deleted, but the API returns ${answer.status}`;
  }
  const answer = await api.send(`/contents/${contentId}`);
  if (!answer.ok) return `the API returns ${answer.status}`;
  const { status, status_message: message } = Content.parse(await answer.json());
  return status === expectedOutcome ? null : `is ${status} (${message}), expected ${expectedOutcome}`;
}

/** Headings are embedded with a chunk and may be half of a short one, so other chunks can be nearer to its text. */
const VECTOR_RESULT_LIMIT = 100;

/** Searches the sentence by keyword and hybrid, and the text of a chunk by vector. */
async function findMissedSearches(
  api: ApiClient,
  { contentId, collectionId, sentence }: AcknowledgedContent,
): Promise<string[]> {
  const path = `/contents/${contentId}/chunks?collection_id=${collectionId}`;
  const { chunks } = await api.get(path, ContentChunksResponse);
  const text = chunks.at(-1)?.content ?? '';
  const asked: readonly [SearchType, string, number][] = [
    ['hybrid', sentence, 10],
    ['keyword', sentence, 10],
    ['vector', text, VECTOR_RESULT_LIMIT],
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
