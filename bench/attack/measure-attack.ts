import { setTimeout as delay } from 'node:timers/promises';
import { readPeaks, resetPeaks } from '#bench/memory/peaks.ts';
import { percentile } from '#bench/statistics.ts';
import type { BenchStack } from '#bench/bench-stack.ts';
import type { Attack } from './attack.ts';
import type { Probe } from './start-probe.ts';
import { createTarget } from './target.ts';

/** Bytes; `rested` is the memory of the API when the attack began. */
export type Memory = { api: number; rested: number; worker: number };

export type Measured = {
  /** Longest delay of a timer in the API, by its own metric. */
  stallMs: number;
  /** Longest answer of `/livez`. */
  livezMs: number;
  /** Of another workspace. */
  p95Ms: number;
  reads: number;
  failures: number;
  memory: Memory;
  answer: string;
};

/** Requests of the preparation may still be on their way to the disk. */
const REST_MS = 1_000;
const METRIC = /^nodejs_eventloop_lag_max_seconds (\S+)/m;

export type Observer = { stack: BenchStack; probe: Probe };

/** Prepares an attack in a workspace of its own, and measures the service while it runs. */
export async function measureAttack(observer: Observer, attack: Attack): Promise<Measured> {
  const target = await createTarget(observer.stack);
  try {
    const run = await attack.prepare(target);
    await delay(REST_MS);
    return await measureService(observer, run);
  } finally {
    await target.close();
  }
}

/** Measures the service while `run` runs. */
export async function measureService({ stack, probe }: Observer, run: () => Promise<string>): Promise<Measured> {
  await resetPeaks(stack);
  const { api: rested } = await readPeaks(stack);
  // Reading the metric resets it.
  await longestStallMs(stack);
  const { result: answer, observed } = await probe.during(run);
  const stallMs = await longestStallMs(stack);
  const { api, worker } = await readPeaks(stack);
  return {
    stallMs,
    livezMs: observed.longestMs,
    p95Ms: percentile(observed.readMs, 0.95),
    reads: observed.readMs.length,
    failures: observed.failures,
    memory: { api, rested, worker },
    answer,
  };
}

async function longestStallMs({ servers }: BenchStack): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${servers.ports.api}/metrics`)).text();
  return Number(METRIC.exec(text)?.[1] ?? NaN) * 1_000;
}
