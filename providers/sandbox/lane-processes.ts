import { rm } from 'node:fs/promises';
import type { WorkLane } from '#domain/work-share.ts';
import type { SandboxProcess } from './sandbox-process.ts';

const IDLE_MS = 60_000;
/** Processes that only work of lane `express` may use, beyond the number of processes of the pool. */
const RESERVED = 1;

type LaneOptions = {
  /** Most processes that work for `bulk`. */
  processes: number;
  /** True for a process that has done enough: it is replaced. */
  isWorn: (process: SandboxProcess) => boolean;
};

/**
 * The processes of a pool. Each works for one lane only, because lanes have different priorities in the operating system. At most
 * `processes` work for `bulk`, and one more in all, so that `express` never waits for `bulk`.
 */
export class LaneProcesses {
  readonly #options: LaneOptions;
  readonly #idle: Record<WorkLane, SandboxProcess[]> = { express: [], bulk: [] };
  readonly #busy = new Map<SandboxProcess, WorkLane>();
  #idleTimer: NodeJS.Timeout | null = null;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** True when work of the lane may start. */
  hasRoom(lane: WorkLane): boolean {
    const bulk = [...this.#busy.values()].filter((busy) => busy === 'bulk').length;
    if (lane === 'bulk' && bulk >= this.#options.processes) return false;
    return this.#busy.size < this.#options.processes + RESERVED;
  }

  /** Takes an idle process of the lane, or has one started. Call it only when the lane has room; `release` returns the process. */
  take(lane: WorkLane, start: () => SandboxProcess): SandboxProcess {
    let process = this.#takeIdle(lane);
    if (!process) {
      this.#makeRoom(lane);
      process = start();
    }
    this.#busy.set(process, lane);
    return process;
  }

  release(process: SandboxProcess): void {
    const lane = this.#busy.get(process);
    this.#busy.delete(process);
    if (lane !== undefined && process.isUsable && !this.#options.isWorn(process)) this.#idle[lane].push(process);
    else retire(process);
    this.#idleTimer ??= setTimeout(() => this.#retireIdle(), IDLE_MS).unref();
    this.#idleTimer.refresh();
  }

  /** Ends all processes; resolves when they have exited. */
  async close(): Promise<void> {
    if (this.#idleTimer) clearTimeout(this.#idleTimer);
    const processes = [...this.#idle.express.splice(0), ...this.#idle.bulk.splice(0), ...this.#busy.keys()];
    for (const process of processes) process.kill();
    await Promise.all(processes.map((process) => process.ended));
  }

  /** A process that has exited while it was idle is skipped. */
  #takeIdle(lane: WorkLane): SandboxProcess | null {
    for (;;) {
      const process = this.#idle[lane].pop();
      if (!process) return null;
      if (process.isUsable) return process;
      retire(process);
    }
  }

  /** When there are as many processes as allowed, an idle one of the other lane makes room. */
  #makeRoom(lane: WorkLane): void {
    const started = this.#idle.express.length + this.#idle.bulk.length + this.#busy.size;
    if (started < this.#options.processes + RESERVED) return;
    const other = this.#idle[lane === 'bulk' ? 'express' : 'bulk'].shift();
    if (other) retire(other);
  }

  #retireIdle(): void {
    for (const idle of Object.values(this.#idle)) for (const process of idle.splice(0)) retire(process);
  }
}

function retire(process: SandboxProcess): void {
  process.kill();
  void process.ended.then(() => rm(process.folder, { recursive: true, force: true })).catch(() => undefined);
}
