import { setTimeout as delay } from 'node:timers/promises';
import { DeletionAccepted } from '#domain/records/deletion.ts';
import { UploadResponse } from '#domain/records/upload.ts';
import { isSettled } from '#domain/statuses.ts';
import { formFor, type ApiClient } from '#test/support/harness/api-client.ts';
import type { BehindTheApi, RunRow } from '#test/support/harness/behind-the-api.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { startSecondWorker } from '#test/support/harness/second-worker.ts';
import type { SeededRandom } from '#test/support/harness/seeded-random.ts';
import type { TestStack } from '#test/support/harness/stack.ts';
import { makeCorpus } from './corpus.ts';
import type { PageServer } from './page-server.ts';
import { startSingleTexts, timeUntilFound } from './single-texts.ts';
import type { AcknowledgedContent, RoundKind, RoundResult } from './round-result.ts';
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

/** Longer than the heartbeat timeout of activities (15 s). */
const STALL_MS = 17_000;
const FINISH_TIMEOUT_MS = 180_000;
const MAX_KILL_DELAY_MS = 2_500;
const STAGE_TIMEOUT_MS = 4_000;
const STAGES = ['pending', 'downloading', 'reading', 'splitting', 'indexing'] as const;

type Round = RoundContext & {
  plan: RoundPlan;
  uploadId: string;
  contents: AcknowledgedContent[];
  kills: RoundResult['kills'];
};

/** Uploads documents, kills the planned processes during their ingestion, and waits until all contents finish. */
export async function playRound(context: RoundContext, plan: RoundPlan): Promise<RoundResult> {
  const { uploadId, contents } = await uploadCorpus(context, plan);
  const round: Round = { ...context, plan, uploadId, contents, kills: {} };
  const startedMs = performance.now();
  const { api, random } = context;
  const sender = { api, random, collectionId: plan.collectionId, name: `r${plan.number}` };
  const texts = startSingleTexts(sender);
  await (plan.kind === 'stall' ? stallWorker(round) : killProcesses(round));
  const slowestTextMs = await timeUntilFound(api, await texts.stop());
  const isStuck = !(await waitUntilFinished(round));
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  const { crashed, failed } = await retryCrashed(round);
  const alone = crashed > 0 ? `, ${crashed} of them failed alone and were retried` : '';
  const found = `single texts found after ${(slowestTextMs / 1000).toFixed(1)} s`;
  const ending = `${contents.length} contents finished after ${seconds} s${alone}, ${found}${isStuck ? ', SOME ARE STUCK' : ''}`;
  context.log(`round ${plan.number} (${plan.kind}): ${ending}`);
  for (const line of failed) context.log(`round ${plan.number}: ${line}`);
  const all = [...contents, ...(await texts.stop())];
  return { contents: all, kills: round.kills, crashed, failed, isStuck, slowestTextMs };
}

async function uploadCorpus({ api, pages, random }: RoundContext, plan: RoundPlan) {
  const corpus = makeCorpus(random, `r${plan.number}`, plan.bigTextBytes);
  const urls = corpus.pages.map((page) => ({ page, url: pages.offer(page) }));
  const answer = await api.post('/upload', UploadResponse, {
    body: formFor(plan.collectionId, [
      ...corpus.files.map(
        ({ name, mediaType, bytes }) =>
          ['files', new File([new Uint8Array(bytes)], name, { type: mediaType })] as const,
      ),
      ...urls.map(({ url }) => ['urls', url] as const),
    ]),
    status: 202,
  });
  const sentences = new Map([
    ...corpus.files.map(({ name, sentence }) => [name, sentence] as const),
    ...urls.map(({ page, url }) => [url, page.sentence] as const),
  ]);
  const contents = answer.uploads.map(({ content_id: contentId, name }): AcknowledgedContent => {
    const sentence = sentences.get(name);
    if (sentence === undefined) throw new Error(`the response contains an unknown content ${name}`);
    return { contentId, collectionId: plan.collectionId, sentence, expectedOutcome: 'ready', deletionId: null };
  });
  if (contents.length < sentences.size || answer.upload_id === null) throw new Error('not all documents were accepted');
  return { uploadId: answer.upload_id, contents };
}

/** Kills the worker once or twice, and the other process of the plan at about the same time. */
async function killProcesses(round: Round): Promise<void> {
  const { plan, random } = round;
  const { kind } = plan;
  // Right after the response, before the API can do more.
  if (kind === 'api') await kill(round, 'api');
  const other = kind === 'temporal' || kind === 'weaviate' || kind === 'postgres' ? kind : null;
  await Promise.all([
    kind === 'api' ? restart(round, 'api', random.between(0, 3_000)) : null,
    other && killAndRestart(round, other),
    killAndRestart(round, 'worker'),
  ]);
  if (random.fraction() < 0.5) {
    await delay(random.between(0, STALL_MS));
    if (!(await isFinished(round))) await killAndRestart(round, 'worker');
  }
}

type KilledProcess = Exclude<RoundKind, 'stall'>;

async function killAndRestart(round: Round, target: KilledProcess): Promise<void> {
  const { random } = round;
  const pauseMs = random.between(0, 4_000);
  await waitForRandomMoment(round);
  await kill(round, target);
  await restart(round, target, pauseMs);
}

async function kill(round: Round, target: KilledProcess): Promise<void> {
  const { stack, plan, log } = round;
  const seen = await describeStages(round);
  await stack.processes[target].signal('SIGKILL');
  round.kills[target] = (round.kills[target] ?? 0) + 1;
  log(`round ${plan.number} (${plan.kind}): kill -9 ${target} at ${seen}`);
}

async function restart(round: Round, target: KilledProcess, pauseMs: number): Promise<void> {
  await delay(pauseMs);
  // A process that depends on another killed one, such as Postgres, becomes ready when both run.
  await eventually(`${target} restarts`, () => round.stack.processes[target].start().then(() => true));
}

/** Waits for a random time after the upload, or after a content entered a random stage. */
async function waitForRandomMoment(round: Round): Promise<void> {
  const { random } = round;
  const stage = random.pick([...STAGES, null, null]);
  const waitMs = stage === null ? random.between(0, MAX_KILL_DELAY_MS) : random.between(0, 150);
  if (stage !== null) {
    const deadline = performance.now() + STAGE_TIMEOUT_MS;
    while (performance.now() < deadline) {
      const runs = await runsOf(round);
      if (runs?.some((run) => run.stage === stage) || runs?.every((run) => isSettled(run.stage))) break;
      await delay(5);
    }
  }
  await delay(waitMs);
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
    round.kills.stall = 1;
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

/** Cancels one running content and deletes another. */
async function cancelAndDeleteOne(round: Round): Promise<void> {
  const { api, contents, plan, log } = round;
  const running = ((await runsOf(round)) ?? []).filter((run) => !isSettled(run.stage)).map((run) => run.content_id);
  const chosen = contents.filter(({ contentId }) => running.includes(contentId));
  const [cancelled, deleted] = [chosen.at(-1), chosen.at(0)];
  if (cancelled && cancelled !== deleted) {
    const answer = await api.send(`/contents/${cancelled.contentId}/cancel`, { method: 'POST' });
    // The content may have finished just before.
    if (answer.ok) cancelled.expectedOutcome = 'cancelled';
  }
  if (deleted) {
    const path = `/contents/${deleted.contentId}`;
    const { deletion_id: deletionId } = await api.get(path, DeletionAccepted, { method: 'DELETE', status: 202 });
    Object.assign(deleted, { expectedOutcome: 'deleted', deletionId });
  }
  log(`round ${plan.number} (stall): ${running.length} running, one cancelled and one deleted`);
}

async function waitUntilFinished(round: Round): Promise<boolean> {
  try {
    return await eventually('all contents finish', () => isFinished(round), { timeoutMs: FINISH_TIMEOUT_MS });
  } catch {
    return false;
  }
}

async function isFinished(round: Round): Promise<boolean> {
  return (await runsOf(round))?.every((run) => isSettled(run.stage)) ?? false;
}

/** Returns null while Postgres is unavailable. */
async function runsOf({ behind, uploadId }: Round): Promise<RunRow[] | null> {
  return behind.runsOf(uploadId).catch(() => null);
}

async function describeStages(round: Round): Promise<string> {
  const runs = await runsOf(round);
  if (runs === null) return '(Postgres is unavailable)';
  const counts = Map.groupBy(runs, ({ stage, failure_code: code }) => (code === null ? stage : `${stage} ${code}`));
  return [...counts].map(([stage, group]) => `${stage} ${group.length}`).join(', ');
}

/** Retries contents that failed with `repeated_crash`, without further kills. */
async function retryCrashed(round: Round): Promise<{ crashed: number; failed: string[] }> {
  const runs = await round.behind.runsOf(round.uploadId);
  const failed = runs.filter((run) => run.stage === 'failed');
  const crashed = failed.filter((run) => run.failure_code === 'repeated_crash').map((run) => run.content_id);
  for (const id of crashed) {
    await eventually(
      'a retry is accepted',
      async () => (await round.api.send(`/contents/${id}/retry`, { method: 'POST' })).ok,
    );
  }
  if (crashed.length > 0) await waitUntilFinished(round);
  const others = failed.filter((run) => run.failure_code !== 'repeated_crash');
  return { crashed: crashed.length, failed: others.map((run) => `${run.content_id} failed: ${run.failure_code}`) };
}
