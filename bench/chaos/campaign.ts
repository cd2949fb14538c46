import { apiClient, createKey } from '#test/support/harness/api-client.ts';
import { Collection } from '#domain/records/collection.ts';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { seededRandom, type SeededRandom } from '#test/support/harness/seeded-random.ts';
import type { TestStack } from '#test/support/harness/stack.ts';
import { evaluateCampaign, type CampaignEvaluation } from './evaluate-campaign.ts';
import { startPageServer } from './page-server.ts';
import { playRound, type RoundContext } from './round.ts';
import type { RoundKind, RoundResult } from './round-result.ts';
import { createWorkMeter } from './work-meter.ts';

export type CampaignOptions = {
  /** One round per entry, in order. */
  kinds: readonly RoundKind[];
  seed: number;
  /** Size of a much larger text in the first round and in stall rounds; 0 for none. */
  bigTextBytes: number;
  /** How often the work of the workers is measured, for `chunksWritten`. */
  meterEveryMs?: number;
  log: (line: string) => void;
};

/** Little is written in a tenth of a second before a kill. */
export const METER_EVERY_MS = 100;

export type CampaignResult = CampaignEvaluation & {
  rounds: RoundResult[];
  /** Chunks written to the index. The difference to the published chunks is work that was repeated or discarded. */
  chunksWritten: number;
  elapsedMs: number;
};

/** Plans a campaign: kill rounds with every fault in turn, and one stall round for every four of them. */
export function planCampaign(kills: number, random: SeededRandom): RoundKind[] {
  const turns: readonly RoundKind[] = ['worker', 'api', 'temporal', 'weaviate', 'postgres'];
  const kinds = Array.from({ length: kills }, (_, index) => turns[index % turns.length] ?? 'worker');
  for (let stall = 0; stall < Math.ceil(kills / 4); stall += 1)
    kinds.splice(random.between(0, kinds.length), 0, 'stall');
  return kinds;
}

/** Runs the rounds in a separate workspace of a running stack and evaluates the result. The stack is running afterwards. */
export async function runCampaign(stack: TestStack, options: CampaignOptions): Promise<CampaignResult> {
  const startedMs = performance.now();
  const { key, workspaceId } = await createKey();
  const context: RoundContext = {
    stack,
    api: apiClient(key),
    behind: openBehindTheApi(stack),
    pages: await startPageServer(),
    meter: createWorkMeter(options.meterEveryMs ?? METER_EVERY_MS),
    random: seededRandom(options.seed),
    log: options.log,
  };
  const unwatch = context.meter.watch(stack.workerUrl);
  try {
    const rounds = await playRounds(context, options);
    await unwatch();
    const contents = rounds.flatMap((round) => round.contents);
    const evaluation = await evaluateCampaign({ ...context, apis: [context.api], workspaceId }, contents);
    const elapsedMs = performance.now() - startedMs;
    return { ...evaluation, rounds, chunksWritten: context.meter.chunks(), elapsedMs };
  } finally {
    await unwatch();
    await context.pages.close();
    await context.behind.close();
  }
}

/** Most rounds use the fast lexical embedder; every fifth round uses the default embedder. */
async function playRounds(context: RoundContext, options: CampaignOptions): Promise<RoundResult[]> {
  const lexical = await context.api.createCollection('chaos');
  const usual = await context.api.post('/collections', Collection, { json: { name: 'chaos' }, status: 201 });
  const rounds: RoundResult[] = [];
  for (const [index, kind] of options.kinds.entries()) {
    const isUsual = index % 5 === 4;
    const isBig = !isUsual && (index === 0 || kind === 'stall');
    const plan = {
      number: index + 1,
      kind,
      collectionId: isUsual ? usual.id : lexical.id,
      bigTextBytes: isBig ? options.bigTextBytes : 0,
    };
    rounds.push(await playRound(context, plan));
  }
  return rounds;
}
