import { apiClient, createKey } from '#test/support/harness/api-client.ts';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import type { takeCensus } from '#test/support/harness/census.ts';
import { seededRandom, type SeededRandom } from '#test/support/harness/seeded-random.ts';
import { METER_EVERY_MS, type CampaignResult } from '../campaign.ts';
import { evaluateCampaign } from '../evaluate-campaign.ts';
import type { Killable } from '../kill-process.ts';
import { startPageServer } from '../page-server.ts';
import { createWorkMeter } from '../work-meter.ts';
import { takeMachinesCensus } from './machines-census.ts';
import { playMachinesRound, type MachinesContext } from './machines-round.ts';
import type { Machine, Machines } from './start-machines.ts';

export type MachinesCampaignOptions = {
  rounds: number;
  /** What is killed, in turn; everything by default. */
  targets?: readonly string[];
  /** Of all rounds together. */
  documents: number;
  seed: number;
  /** How often the work of the workers is measured, for `chunksWritten`. */
  meterEveryMs?: number;
  log: (line: string) => void;
};

export type MachinesResult = CampaignResult & {
  /** Requests that were sent again, with the same `Idempotency-Key`. */
  repeated: number;
};

/** Runs rounds in which one process after the other is killed, in a workspace of its own, and evaluates the result. */
export async function runMachinesCampaign(
  machines: Machines,
  { seed, log, meterEveryMs = METER_EVERY_MS, ...plan }: MachinesCampaignOptions,
): Promise<MachinesResult> {
  const startedMs = performance.now();
  const { key, workspaceId } = await createKey();
  const random = seededRandom(seed);
  const [first, ...others] = machines.machines;
  const apiOf = ({ baseUrl }: Machine) => apiClient(key, undefined, { baseUrl });
  await using closing = new AsyncDisposableStack();
  const meter = createWorkMeter(meterEveryMs);
  const unwatch = machines.machines.map(({ workerUrl }) => meter.watch(workerUrl));
  closing.defer(async () => void (await Promise.all(unwatch.map((stop) => stop()))));
  const context: MachinesContext = {
    apis: [apiOf(first), ...others.map(apiOf)],
    processes: processesOf(machines, random),
    behind: closing.adopt(openBehindTheApi(machines.stack), (one) => one.close()),
    pages: closing.adopt(await startPageServer(), (one) => one.close()),
    random,
    log,
  };
  const rounds = await playRounds(context, plan);
  const takeCensusOf = censusOf(machines, closing);
  const contents = rounds.flatMap((round) => round.contents);
  const evaluation = await evaluateCampaign({ ...context, workspaceId, takeCensusOf }, contents);
  await Promise.all(unwatch.map((stop) => stop()));
  const repeated = rounds.reduce((sum, round) => sum + round.repeated, 0);
  const elapsedMs = performance.now() - startedMs;
  return { ...evaluation, rounds, chunksWritten: meter.chunks(), elapsedMs, repeated };
}

async function playRounds(
  context: MachinesContext,
  { rounds: count, documents, targets }: Pick<MachinesCampaignOptions, 'rounds' | 'documents' | 'targets'>,
) {
  // The fast embedder: what is shared by the machines is tested, not the processors.
  const { id: collectionId } = await context.apis[0].createCollection('chaos');
  const turns = targets ?? Object.keys(context.processes);
  const rounds: Awaited<ReturnType<typeof playMachinesRound>>[] = [];
  for (let round = 0; round < count; round += 1) {
    const target = turns[round % turns.length] ?? '';
    const share = Math.floor((documents + round) / count);
    rounds.push(await playMachinesRound(context, { number: round + 1, target, collectionId, documents: share }));
  }
  return rounds;
}

/** The census of the machines, with one connection to each node. */
function censusOf({ cluster, bucket, stack }: Machines, closing: AsyncDisposableStack): typeof takeCensus {
  const copies = cluster.nodes.map(({ process, url, grpc }) => ({
    name: process.name,
    behind: closing.adopt(openBehindTheApi({ ...stack, weaviate: { ...stack.weaviate, url, grpc } }), (one) =>
      one.close(),
    ),
  }));
  return (behind, workspaceId) => takeMachinesCensus({ copies, bucketFolder: bucket.folder }, behind, workspaceId);
}

/** Everything that is killed, in turn: API and worker of each machine, and the servers, of Weaviate any node but the last one. */
function processesOf(
  { machines, servers, temporal, bucket, cluster }: Machines,
  random: SeededRandom,
): Record<string, Killable> {
  if (servers.postgres === null) throw new Error('Postgres must be started here');
  const managed = [
    ...machines.map(({ services }) => services.api),
    ...machines.map(({ services }) => services.worker),
    servers.postgres,
    ...temporal,
  ].map((one): [string, Killable] => [one.name, { kill: () => one.kill('SIGKILL'), start: () => one.start() }]);
  // A node that is still getting what it missed is not killed again: what Weaviate then loses is said in decision 0010.
  let node = random.between(0, cluster.nodes.length - 1);
  const killNode = () => {
    node = (node + random.between(1, cluster.nodes.length - 1)) % cluster.nodes.length;
    return cluster.kill(node);
  };
  return {
    ...Object.fromEntries(managed),
    s3: { kill: () => bucket.stop(), start: () => bucket.restart() },
    'weaviate-node': { kill: killNode, start: () => cluster.restart(node) },
  };
}
