import { setTimeout as delay } from 'node:timers/promises';
import { isSettled } from '#domain/statuses.ts';
import type { ApiClient } from '#test/support/harness/api-client.ts';
import type { BehindTheApi, RunRow } from '#test/support/harness/behind-the-api.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import type { SeededRandom } from '#test/support/harness/seeded-random.ts';

/** The uploads of a round, which may still become more. */
export type WatchedUploads = { behind: BehindTheApi; uploadIds: readonly string[] };

const STANDSTILL_MS = 180_000;
/** Contents that only seem to move, for example from one attempt to the next, are stuck as well. */
const GIVE_UP_MS = 15 * 60_000;
const POLL_MS = 250;
const MAX_DELAY_MS = 2_500;
const STAGE_TIMEOUT_MS = 4_000;
const STAGES = ['pending', 'downloading', 'reading', 'splitting', 'indexing'] as const;

/** Returns null while Postgres is unavailable. */
export async function runsOf({ behind, uploadIds }: WatchedUploads): Promise<RunRow[] | null> {
  return Promise.all(uploadIds.map((id) => behind.runsOf(id))).then(
    (runs) => runs.flat(),
    () => null,
  );
}

/**
 * Waits until all contents have finished. Returns false once nothing of them has changed for `STANDSTILL_MS`, since how long a round
 * takes depends on the machine, and after `GIVE_UP_MS` in any case.
 */
export async function waitUntilFinished(uploads: WatchedUploads): Promise<boolean> {
  const startedAt = performance.now();
  let [state, changedAt] = ['', startedAt];
  while (performance.now() < Math.min(changedAt + STANDSTILL_MS, startedAt + GIVE_UP_MS)) {
    const runs = await runsOf(uploads);
    if (runs?.every((run) => isSettled(run.stage))) return true;
    const now = JSON.stringify(runs?.map(({ stage, indexed_chunks: chunks }) => [stage, chunks]));
    if (runs !== null && now !== state) [state, changedAt] = [now, performance.now()];
    await delay(POLL_MS);
  }
  return false;
}

/** Whether no content of the uploads is at work. */
export async function isFinished(uploads: WatchedUploads): Promise<boolean> {
  return (await runsOf(uploads))?.every((run) => isSettled(run.stage)) ?? false;
}

/** Waits for a random time after the upload, or after a content entered a random stage. */
export async function waitForRandomMoment({ random, ...uploads }: WatchedUploads & { random: SeededRandom }) {
  const stage = random.pick([...STAGES, null, null]);
  const waitMs = stage === null ? random.between(0, MAX_DELAY_MS) : random.between(0, 150);
  if (stage !== null) {
    const deadline = performance.now() + STAGE_TIMEOUT_MS;
    while (performance.now() < deadline) {
      const runs = await runsOf(uploads);
      if (runs?.some((run) => run.stage === stage)) break;
      if (runs !== null && runs.length > 0 && runs.every((run) => isSettled(run.stage))) break;
      await delay(5);
    }
  }
  await delay(waitMs);
}

/** Counts the contents by stage, for the log. */
export async function describeStages(uploads: WatchedUploads): Promise<string> {
  const runs = await runsOf(uploads);
  if (runs === null) return '(Postgres is unavailable)';
  if (runs.length === 0) return 'nothing accepted yet';
  const counts = Map.groupBy(runs, ({ stage, failure_code: code }) => (code === null ? stage : `${stage} ${code}`));
  return [...counts].map(([stage, group]) => `${stage} ${group.length}`).join(', ');
}

/** Retries contents that failed with `repeated_crash`, without further kills. Returns how many, and those that failed otherwise. */
export async function retryCrashed(
  uploads: WatchedUploads & { api: ApiClient },
): Promise<{ crashed: number; failed: string[] }> {
  const runs = (await runsOf(uploads)) ?? [];
  const failed = runs.filter((run) => run.stage === 'failed');
  const crashed = failed.filter((run) => run.failure_code === 'repeated_crash').map((run) => run.content_id);
  for (const id of crashed) {
    await eventually(
      'a retry is accepted',
      async () => (await uploads.api.send(`/contents/${id}/retry`, { method: 'POST' })).ok,
    );
  }
  if (crashed.length > 0) await waitUntilFinished(uploads);
  const others = failed.filter((run) => run.failure_code !== 'repeated_crash');
  return { crashed: crashed.length, failed: others.map((run) => `${run.content_id} failed: ${run.failure_code}`) };
}
