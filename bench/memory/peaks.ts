import { readFile, writeFile } from 'node:fs/promises';
import type { BenchStack } from '#bench/bench-stack.ts';
import { mebibytes } from '#bench/statistics.ts';

export type Peaks = { api: number; worker: number; readers: number[] };

/** Reads the peak resident sizes since the last reset, in bytes, including those of the current reader processes. */
export async function readPeaks(stack: BenchStack): Promise<Peaks> {
  const worker = pidOf(stack, 'worker');
  const readers = await Promise.all((await childrenOf(worker)).map(peakOf));
  return { api: await peakOf(pidOf(stack, 'api')), worker: await peakOf(worker), readers };
}

/** Formats the peaks as one line. */
export function formatPeaks({ api, worker, readers }: Peaks): string {
  const children = readers.length === 0 ? '' : `, its reader processes ${readers.map(mebibytes).join(' and ')}`;
  return `API ${mebibytes(api)}, worker ${mebibytes(worker)}${children}`;
}

async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

/** Resets the peaks of API and worker. */
export async function resetPeaks(stack: BenchStack): Promise<void> {
  // 5: the kernel's "reset the peak resident set size".
  for (const name of ['api', 'worker'] as const) await writeFile(`/proc/${pidOf(stack, name)}/clear_refs`, '5');
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text
    .split(' ')
    .map(Number)
    .filter((child) => child > 0);
}

function pidOf(stack: BenchStack, name: 'api' | 'worker'): number {
  const pid = stack.services[name].pid();
  if (pid === null) throw new Error(`the ${name} is not running`);
  return pid;
}
