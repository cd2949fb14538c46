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
import type { WorkMeter } from './work-meter.ts';

/** What is killed in a round beside the worker; `stall` stops the worker instead, while another one goes on. */
export type RoundKind = 'worker' | 'api' | 'temporal' | 'weaviate' | 'postgres' | 'stall';

/** What a round works with. */
export type Arena = {
  stack: TestStack;
  api: ApiClient;
  behind: BehindTheApi;
  pages: PageServer;
  meter: WorkMeter;
  random: SeededRandom;
  log: (line: string) => void;
};

export type RoundPlan = { number: number; kind: RoundKind; collectionId: string; bigTextBytes: number };

/** A content that an upload was acknowledged for, and what has to become of it. */
export type Acknowledged = {
  contentId: string;
  collectionId: string;
  sentence: string;
  fate: 'ready' | 'cancelled' | 'deleted';
  deletionId: string | null;
};

export type RoundResult = {
  contents: Acknowledged[];
  /** How often each process was killed or stopped. */
  kills: Partial<Record<RoundKind, number>>;
  /** Contents that failed alone, for the worker died twice at them; they were ready after a retry. */
  crashed: number;
  /** Contents that failed for any other reason, with it. */
  failed: string[];
  /** True when not everything came to an end in time. */
  isStuck: boolean;
};

/** Longer than Temporal waits for a sign of life of a step (10 s). */
const STALL_MS = 12_000;
const SETTLE_MS = 180_000;
const LAST_MOMENT_MS = 2_500;
const STAGE_PATIENCE_MS = 4_000;
const STAGES = ['pending', 'downloading', 'reading', 'splitting', 'indexing'] as const;

type Round = Arena & { plan: RoundPlan; uploadId: string; contents: Acknowledged[]; kills: RoundResult['kills'] };

/** Uploads documents, kills what the plan says while they are ingested, and waits until all came to an end. */
export async function playRound(arena: Arena, plan: RoundPlan): Promise<RoundResult> {
  const { uploadId, contents } = await upload(arena, plan);
  const round: Round = { ...arena, plan, uploadId, contents, kills: {} };
  const startedMs = performance.now();
  await (plan.kind === 'stall' ? stallWorker(round) : killAround(round));
  const isStuck = !(await settles(round));
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  const { crashed, failed } = await retryCrashed(round);
  arena.log(
    `round ${plan.number} (${plan.kind}): ${contents.length} contents came to an end after ${seconds} s` +
      `${crashed > 0 ? `, ${crashed} of them failed alone and were retried` : ''}${isStuck ? ', SOME ARE STUCK' : ''}`,
  );
  for (const line of failed) arena.log(`round ${plan.number}: ${line}`);
  return { contents, kills: round.kills, crashed, failed, isStuck };
}

async function upload({ api, pages, random }: Arena, plan: RoundPlan) {
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
  const contents = answer.uploads.map(({ content_id: contentId, name }): Acknowledged => {
    const sentence = sentences.get(name);
    if (sentence === undefined) throw new Error(`the service named a content ${name}`);
    return { contentId, collectionId: plan.collectionId, sentence, fate: 'ready', deletionId: null };
  });
  if (contents.length < sentences.size || answer.upload_id === null) throw new Error('not every document was taken');
  return { uploadId: answer.upload_id, contents };
}

/** Kills the worker once or twice, and the plan's other process around that time. */
async function killAround(round: Round): Promise<void> {
  const { plan, random } = round;
  const { kind } = plan;
  // Right after the answer, before the API can do more.
  if (kind === 'api') await kill(round, 'api');
  const other = kind === 'temporal' || kind === 'weaviate' || kind === 'postgres' ? kind : null;
  await Promise.all([
    kind === 'api' ? startAgain(round, 'api', random.between(0, 3_000)) : null,
    other && killAndRestart(round, other),
    killAndRestart(round, 'worker'),
  ]);
  if (random.fraction() < 0.5) {
    await delay(random.between(0, STALL_MS));
    if (!(await isOver(round))) await killAndRestart(round, 'worker');
  }
}

type Victim = Exclude<RoundKind, 'stall'>;

async function killAndRestart(round: Round, victim: Victim): Promise<void> {
  const { random } = round;
  const pauseMs = random.between(0, 4_000);
  await aMoment(round);
  await kill(round, victim);
  await startAgain(round, victim, pauseMs);
}

async function kill(round: Round, victim: Victim): Promise<void> {
  const { stack, plan, log } = round;
  const seen = await describeStages(round);
  await stack.processes[victim].signal('SIGKILL');
  round.kills[victim] = (round.kills[victim] ?? 0) + 1;
  log(`round ${plan.number} (${plan.kind}): kill -9 ${victim} at ${seen}`);
}

async function startAgain(round: Round, victim: Victim, pauseMs: number): Promise<void> {
  await delay(pauseMs);
  // One that waits for another that is down as well, like Postgres, is ready when both are.
  await eventually(`${victim} starts again`, () => round.stack.processes[victim].start().then(() => true));
}

/** Waits for a moment to kill at: some time after the upload, or some time after a content entered a stage. */
async function aMoment(round: Round): Promise<void> {
  const { random } = round;
  const stage = random.pick([...STAGES, null, null]);
  const waitMs = stage === null ? random.between(0, LAST_MOMENT_MS) : random.between(0, 150);
  if (stage !== null) {
    const deadline = performance.now() + STAGE_PATIENCE_MS;
    while (performance.now() < deadline) {
      const runs = await runsOf(round);
      if (runs?.some((run) => run.stage === stage) || runs?.every((run) => isSettled(run.stage))) break;
      await delay(5);
    }
  }
  await delay(waitMs);
}

/** The worker stands still beyond its heartbeat's timeout, while a second one does its work; then it goes on. */
async function stallWorker(round: Round): Promise<void> {
  const { stack, plan, log, meter } = round;
  const { worker } = stack.processes;
  const second = await startSecondWorker(stack);
  const unwatch = meter.watch(second.url);
  try {
    await aMoment(round);
    await worker.signal('SIGSTOP');
    const stalled = delay(STALL_MS);
    round.kills.stall = 1;
    log(`round ${plan.number} (stall): worker stopped at ${await describeStages(round)}`);
    await endSome(round);
    await stalled;
    await settles(round);
  } finally {
    await worker.signal('SIGCONT');
    await unwatch();
    await second.stop();
  }
}

/** Cancels one content that is under way, and deletes another. */
async function endSome(round: Round): Promise<void> {
  const { api, contents, plan, log } = round;
  const underWay = ((await runsOf(round)) ?? []).filter((run) => !isSettled(run.stage)).map((run) => run.content_id);
  const chosen = contents.filter(({ contentId }) => underWay.includes(contentId));
  const [cancelled, deleted] = [chosen.at(-1), chosen.at(0)];
  if (cancelled && cancelled !== deleted) {
    const answer = await api.send(`/contents/${cancelled.contentId}/cancel`, { method: 'POST' });
    // It may have come to its end a moment before.
    if (answer.ok) cancelled.fate = 'cancelled';
  }
  if (deleted) {
    const path = `/contents/${deleted.contentId}`;
    const { deletion_id: deletionId } = await api.get(path, DeletionAccepted, { method: 'DELETE', status: 202 });
    Object.assign(deleted, { fate: 'deleted', deletionId });
  }
  log(`round ${plan.number} (stall): ${underWay.length} under way, one cancelled and one deleted`);
}

async function settles(round: Round): Promise<boolean> {
  try {
    return await eventually('all contents come to an end', () => isOver(round), { timeoutMs: SETTLE_MS });
  } catch {
    return false;
  }
}

async function isOver(round: Round): Promise<boolean> {
  return (await runsOf(round))?.every((run) => isSettled(run.stage)) ?? false;
}

/** Null while Postgres is away. */
async function runsOf({ behind, uploadId }: Round): Promise<RunRow[] | null> {
  return behind.runsOf(uploadId).catch(() => null);
}

async function describeStages(round: Round): Promise<string> {
  const runs = await runsOf(round);
  if (runs === null) return '(Postgres is away)';
  const counts = Map.groupBy(runs, ({ stage, failure_code: code }) => (code === null ? stage : `${stage} ${code}`));
  return [...counts].map(([stage, group]) => `${stage} ${group.length}`).join(', ');
}

/** A retry without kills has to bring every content that failed alone to its end. */
async function retryCrashed(round: Round): Promise<{ crashed: number; failed: string[] }> {
  const runs = await round.behind.runsOf(round.uploadId);
  const failed = runs.filter((run) => run.stage === 'failed');
  const crashed = failed.filter((run) => run.failure_code === 'repeated_crash').map((run) => run.content_id);
  for (const id of crashed) {
    await eventually(
      'a retry is taken',
      async () => (await round.api.send(`/contents/${id}/retry`, { method: 'POST' })).ok,
    );
  }
  if (crashed.length > 0) await settles(round);
  const others = failed.filter((run) => run.failure_code !== 'repeated_crash');
  return { crashed: crashed.length, failed: others.map((run) => `${run.content_id} failed: ${run.failure_code}`) };
}
