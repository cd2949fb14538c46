import { readdir, readFile } from 'node:fs/promises';
import type { BenchStack } from './bench-stack.ts';

/** The kernel counts CPU time in hundredths of a second, on every architecture that Node.js supports. */
const MS_PER_TICK = 10;

type Process = { pid: number; parent: number; ticks: number };

/**
 * CPU time of API, worker, PostgreSQL, Temporal, Weaviate, further processes and all their child processes since they started, in ms.
 * Linux only.
 */
export async function cpuTimeOf({ services, servers }: BenchStack, others: readonly number[] = []): Promise<number> {
  const roots = [services.api, services.worker, servers.postgres, servers.temporal, servers.weaviate];
  const found = new Set([...roots.map((managed) => managed?.pid()), ...others]);
  const processes = (await Promise.all((await pids()).map(readProcess))).filter((one) => one !== null);
  // A child has a parent that was found before, or in an earlier round.
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const { pid, parent } of processes) if (found.has(parent)) found.add(pid);
  }
  return processes.filter(({ pid }) => found.has(pid)).reduce((sum, { ticks }) => sum + ticks, 0) * MS_PER_TICK;
}

async function pids(): Promise<number[]> {
  const names = await readdir('/proc');
  return names.map(Number).filter((pid) => pid > 0);
}

/** Reads `proc(5)` stat: times of the process itself and of its children that have ended. Null if it has ended. */
async function readProcess(pid: number): Promise<Process | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  if (stat === null) return null;
  // The name of the program, in parentheses, may contain anything.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [parent = 0] = fields.slice(1);
  return { pid, parent, ticks: fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) };
}
