import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pMap from 'p-map';
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
/** A census reads every row and every object; the maintenance that it waits for runs every few seconds. */
const CENSUS_PAUSE_MS = 500;

/** Contents asked about at the same time. */
const CONTENTS_AT_ONCE = 4;

type EvaluationContext = {
  /** Contents are asked of them in turn. */
  apis: readonly ApiClient[];
  workspaceId: string;
  behind: BehindTheApi;
  /** Instead of the usual census, which sees one copy of the index and no bytes. */
  takeCensusOf?: typeof takeCensus;
};

/** Waits for the maintenance loops, then checks every acknowledged content. */
export async function evaluateCampaign(
  context: EvaluationContext,
  contents: readonly AcknowledgedContent[],
): Promise<CampaignEvaluation> {
  const { apis, behind, workspaceId, takeCensusOf = takeCensus } = context;
  const first = await takeCensus(behind, workspaceId);
  const census = await takeFinalCensus(behind, workspaceId, takeCensusOf);
  const wrongOutcomes: string[] = [];
  const unfound: string[] = [];
  const check = async (content: AcknowledgedContent, index: number) => {
    const api = apis[index % apis.length];
    if (api === undefined) throw new Error('there is no API to ask');
    const problem = await findWrongOutcome(api, content);
    if (problem !== null) wrongOutcomes.push(`${content.contentId} (${content.sentence}): ${problem}`);
    else if (content.expectedOutcome === 'ready') unfound.push(...(await findMissedSearches(api, content)));
  };
  await pMap(contents, check, { concurrency: CONTENTS_AT_ONCE });
  return { census, wrongOutcomes, unfound, orphansBefore: first.orphaned.length };
}

async function takeFinalCensus(behind: BehindTheApi, workspaceId: string, take: typeof takeCensus): Promise<Census> {
  const deadline = performance.now() + CENSUS_TIMEOUT_MS;
  for (;;) {
    await behind.makeDue(workspaceId);
    const census = await take(behind, workspaceId);
    if (isSound(census) || performance.now() > deadline) return census;
    await delay(CENSUS_PAUSE_MS);
  }
}

async function findWrongOutcome(
  api: ApiClient,
  { contentId, expectedOutcome, deletionId, sha256 }: AcknowledgedContent,
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
  if (status !== expectedOutcome) return `is ${status} (${message}), expected ${expectedOutcome}`;
  if (sha256 === null || status !== 'ready') return null;
  const file = await api.send(`/contents/${contentId}/file`);
  if (!file.ok) return `its file answers ${file.status}`;
  const hash = createHash('sha256')
    .update(new Uint8Array(await file.arrayBuffer()))
    .digest('hex');
  return hash === sha256 ? null : 'its file has other bytes';
}

/**
 * This asks whether a chunk is found, not how it is ranked. Headings are embedded with a chunk and may be half of a short one, so
 * other chunks can be nearer to its text by vector, and ten of one long text can be before it in hybrid search.
 */
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
    ['hybrid', sentence, VECTOR_RESULT_LIMIT],
    ['keyword', sentence, 10],
    ['vector', text, VECTOR_RESULT_LIMIT],
  ];
  const missed: string[] = [];
  for (const [type, query, limit] of asked) {
    const json = { collection_id: collectionId, query, search_type: type, max_results: limit };
    const { results } = await api.post('/collections/search', SearchResponse, { json });
    if (!results.some((result) => result.content_id === contentId))
      missed.push(`${contentId}: ${type} does not find "${query.slice(-80)}": ${await whyNot(api, json, contentId)}`);
  }
  return missed;
}

/** What the service itself says about a missing result, and what is found in its place. */
async function whyNot(api: ApiClient, search: object, contentId: string): Promise<string> {
  const json = { ...search, content_id: contentId };
  const explanation = await api.send('/collections/search/explain', { method: 'POST', json });
  return (await explanation.text()).slice(0, 2_000);
}
