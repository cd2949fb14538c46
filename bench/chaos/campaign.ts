import { apiClient, createKey } from '#test/support/harness/api-client.ts';
import { Collection } from '#domain/records/collection.ts';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { seededRandom, type SeededRandom } from '#test/support/harness/seeded-random.ts';
import type { TestStack } from '#test/support/harness/stack.ts';
import { judge, type Judgement } from './judgement.ts';
import { startPageServer } from './page-server.ts';
import { playRound, type Arena, type RoundKind, type RoundResult } from './round.ts';
import { createWorkMeter } from './work-meter.ts';

export type CampaignOptions = {
  /** One round after the other. */
  kinds: readonly RoundKind[];
  seed: number;
  /** Size of the one text that is much larger than the others, in the first round and in stalls; 0 for none. */
  bigTextBytes: number;
  log: (line: string) => void;
};

export type CampaignResult = Judgement & {
  rounds: RoundResult[];
  /** Chunks written to the index, and chunks that are published now: the difference is work redone or given up. */
  chunksWritten: number;
  elapsedMs: number;
};

/** The rounds of a campaign: kills of the worker, with every other fault in turn, and a stall for every four of them. */
export function planCampaign(kills: number, random: SeededRandom): RoundKind[] {
  const turns: readonly RoundKind[] = ['worker', 'api', 'temporal', 'weaviate', 'postgres'];
  const kinds = Array.from({ length: kills }, (_, index) => turns[index % turns.length] ?? 'worker');
  for (let stall = 0; stall < Math.ceil(kills / 4); stall += 1)
    kinds.splice(random.between(0, kinds.length), 0, 'stall');
  return kinds;
}

/** Plays the rounds in a workspace of its own on a running stack, which runs again afterwards, and judges what is left. */
export async function runCampaign(stack: TestStack, options: CampaignOptions): Promise<CampaignResult> {
  const startedMs = performance.now();
  const { key, workspaceId } = await createKey();
  const arena: Arena = {
    stack,
    api: apiClient(key),
    behind: openBehindTheApi(stack),
    pages: await startPageServer(),
    meter: createWorkMeter(),
    random: seededRandom(options.seed),
    log: options.log,
  };
  const unwatch = arena.meter.watch(stack.workerUrl);
  try {
    const rounds = await playRounds(arena, options);
    await unwatch();
    const contents = rounds.flatMap((round) => round.contents);
    const judgement = await judge({ ...arena, workspaceId }, contents);
    const elapsedMs = performance.now() - startedMs;
    return { ...judgement, rounds, chunksWritten: arena.meter.chunks(), elapsedMs };
  } finally {
    await unwatch();
    await arena.pages.close();
    await arena.behind.close();
  }
}

/** Most rounds embed by words, to be quick; the first one of each five as the service does by default. */
async function playRounds(arena: Arena, options: CampaignOptions): Promise<RoundResult[]> {
  const lexical = await arena.api.createCollection('chaos');
  const usual = await arena.api.post('/collections', Collection, { json: { name: 'chaos' }, status: 201 });
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
    rounds.push(await playRound(arena, plan));
  }
  return rounds;
}
