import { readFileSync } from 'node:fs';

/** Linux counts processor time in hundredths of a second (`USER_HZ`), whatever the frequency of the kernel's timer. */
const CLOCK_TICK_MS = 10;
const NS_PER_MS = 1_000_000;

/** Measures what a process uses for a task, from its start on. */
export class TaskMeter {
  readonly #pid: number;
  readonly #startedAt = performance.now();
  readonly #cpuAtStartMs: number | null;
  readonly #waitedAtStartMs: number | null;

  constructor(pid: number) {
    this.#pid = pid;
    this.#cpuAtStartMs = cpuTimeMs(pid);
    this.#waitedAtStartMs = waitedMs(pid);
  }

  /** Processor time of all threads, user and system. Where it cannot be measured, the time that has passed stands in for it. */
  cpuMs(): number {
    const now = cpuTimeMs(this.#pid);
    return now === null || this.#cpuAtStartMs === null ? this.elapsedMs() : now - this.#cpuAtStartMs;
  }

  /** Time that has passed, without what the process waited for a processor because others were using it. */
  elapsedMs(): number {
    const now = waitedMs(this.#pid);
    const waited = now === null || this.#waitedAtStartMs === null ? 0 : now - this.#waitedAtStartMs;
    return performance.now() - this.#startedAt - waited;
  }
}

/** Returns the resident memory of a process in bytes, from Linux's /proc; null on other systems or when the process is gone. */
export function residentMemoryBytes(pid: number): number | null {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readProcFile(pid, 'status'))?.[1];
  return kibibytes === undefined ? null : Number(kibibytes) * 1024;
}

function cpuTimeMs(pid: number): number | null {
  const stat = readProcFile(pid, 'stat');
  // The second field is the program's name in parentheses, which may contain any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return Number.isNaN(ticks) ? null : ticks * CLOCK_TICK_MS;
}

/** How long the main thread was ready to run and did not, because no processor was free. */
function waitedMs(pid: number): number | null {
  const [, waitedNs] = readProcFile(pid, 'schedstat').split(' ');
  return waitedNs === undefined ? null : Number(waitedNs) / NS_PER_MS;
}

function readProcFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}
