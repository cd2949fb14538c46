import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '#test/support/harness/eventually.ts';
import type { SeededRandom } from '#test/support/harness/seeded-random.ts';
import { describeStages, waitForRandomMoment, type WatchedUploads } from './run-progress.ts';

/** A process that can be ended as a crash does, and started again with the same ports and data. */
export type Killable = { kill(): Promise<void>; start(): Promise<void> };

export type KillContext = WatchedUploads & {
  processes: Readonly<Record<string, Killable>>;
  /** Number of kills by process; kills are added to it. */
  kills: Record<string, number>;
  random: SeededRandom;
  /** The round, as the log names it. */
  title: string;
  log: (line: string) => void;
};

const MAX_PAUSE_MS = 4_000;

/** Kills a process at a random moment of the ingestion, and starts it again after a random pause. */
export async function killAndRestart(context: KillContext, name: string): Promise<void> {
  const pauseMs = context.random.between(0, MAX_PAUSE_MS);
  await waitForRandomMoment(context);
  await killProcess(context, name);
  await restartProcess(context, name, pauseMs);
}

/** Kills a process now. */
export async function killProcess(context: KillContext, name: string): Promise<void> {
  const { kills, title, log } = context;
  const seen = await describeStages(context);
  await processNamed(context, name).kill();
  kills[name] = (kills[name] ?? 0) + 1;
  log(`${title}: kill -9 ${name} at ${seen}`);
}

/** Starts a process again after a pause. */
export async function restartProcess(context: KillContext, name: string, pauseMs: number): Promise<void> {
  await delay(pauseMs);
  // A process that depends on another killed one, such as Postgres, becomes ready when both run.
  await eventually(`${name} restarts`, () =>
    processNamed(context, name)
      .start()
      .then(() => true),
  );
}

function processNamed({ processes }: KillContext, name: string): Killable {
  const found = processes[name];
  if (found === undefined) throw new Error(`there is no process ${name}`);
  return found;
}
