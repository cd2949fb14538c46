import { setTimeout as delay } from 'node:timers/promises';
import { UploadResponse } from '#domain/records/upload.ts';
import type { ApiClient } from '#test/support/harness/api-client.ts';
import type { BehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { startSecondWorker } from '#test/support/harness/second-worker.ts';
import type { SeededRandom } from '#test/support/harness/seeded-random.ts';
import type { TestStack } from '#test/support/harness/stack.ts';
import { cancelAndDeleteOne } from './cancel-and-delete.ts';
import { makeCorpus } from './corpus.ts';
import { finishRound } from './finish-round.ts';
import { killAndRestart, killProcess, restartProcess, type Killable, type KillContext } from './kill-process.ts';
import type { PageServer } from './page-server.ts';
import { describeStages, isFinished, waitForRandomMoment, waitUntilFinished } from './run-progress.ts';
import { startSingleTexts } from './single-texts.ts';
import type { AcknowledgedContent, RoundKind, RoundResult } from './round-result.ts';
import { prepareUpload } from './upload-corpus.ts';
import type { WorkMeter } from './work-meter.ts';

/** Everything that a round needs. */
export type RoundContext = {
  stack: TestStack;
  api: ApiClient;
  behind: BehindTheApi;
  pages: PageServer;
  meter: WorkMeter;
  random: SeededRandom;
  log: (line: string) => void;
};

export type RoundPlan = { number: number; kind: RoundKind; collectionId: string; bigTextBytes: number };

/** Longer than the heartbeat timeout of activities (20 s). */
const STALL_MS = 22_000;

type Round = RoundContext & KillContext & { plan: RoundPlan; contents: AcknowledgedContent[] };

/** Uploads documents, kills the planned processes during their ingestion, and waits until all contents finish. */
export async function playRound(context: RoundContext, plan: RoundPlan): Promise<RoundResult> {
  const { api, random, pages } = context;
  const { collectionId } = plan;
  const upload = prepareUpload(makeCorpus(random, `r${plan.number}`, plan.bigTextBytes), { pages, collectionId });
  const answer = await api.post('/upload', UploadResponse, { body: upload.form(), status: 202 });
  const { uploadId, contents } = upload.acknowledge(answer);
  const round: Round = { ...context, ...processesOf(context, plan), plan, uploadIds: [uploadId], contents };
  const startedMs = performance.now();
  const texts = startSingleTexts({ api, random, collectionId, name: `r${plan.number}` });
  await (plan.kind === 'stall' ? stallWorker(round) : killProcesses(round));
  return finishRound({ ...round, texts: [texts], startedMs });
}

function processesOf({ stack }: RoundContext, { number, kind }: RoundPlan) {
  const processes = Object.entries(stack.processes).map(([name, process]): [string, Killable] => [
    name,
    { kill: () => process.signal('SIGKILL'), start: () => process.start() },
  ]);
  return { processes: Object.fromEntries(processes), kills: {}, title: `round ${number} (${kind})` };
}

/** Kills the worker once or twice, and the other process of the plan at about the same time. */
async function killProcesses(round: Round): Promise<void> {
  const { plan, random } = round;
  const { kind } = plan;
  // Right after the response, before the API can do more.
  if (kind === 'api') await killProcess(round, 'api');
  const other = kind === 'temporal' || kind === 'weaviate' || kind === 'postgres' ? kind : null;
  await Promise.all([
    kind === 'api' ? restartProcess(round, 'api', random.between(0, 3_000)) : null,
    other && killAndRestart(round, other),
    killAndRestart(round, 'worker'),
  ]);
  if (random.fraction() < 0.5) {
    await delay(random.between(0, STALL_MS));
    if (!(await isFinished(round))) await killAndRestart(round, 'worker');
  }
}

/** Suspends the worker beyond its heartbeat timeout while a second one takes over, and then resumes it. */
async function stallWorker(round: Round): Promise<void> {
  const { stack, plan, log, meter } = round;
  const { worker } = stack.processes;
  const second = await startSecondWorker(stack);
  const unwatch = meter.watch(second.url);
  try {
    await waitForRandomMoment(round);
    await worker.signal('SIGSTOP');
    const stalled = delay(STALL_MS);
    round.kills['stall'] = 1;
    log(`round ${plan.number} (stall): worker suspended at ${await describeStages(round)}`);
    await cancelAndDeleteOne(round);
    await stalled;
    await waitUntilFinished(round);
  } finally {
    await worker.signal('SIGCONT');
    await unwatch();
    await second.stop();
  }
}
