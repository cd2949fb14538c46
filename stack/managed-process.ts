import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { killGroup } from './process-identity.ts';
import { endOfLog, keepLogSmall, openLog } from './process-log.ts';
import type { ProcessRecords, StopSignal } from './process-records.ts';
import { StackError } from './stack-error.ts';

export type ProcessSpec = {
  name: string;
  title: string;
  file: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
  uid?: number;
  gid?: number;
  logFile: string;
  records: ProcessRecords;
  stopSignal: StopSignal;
  stopTimeoutMs: number;
  readyTimeoutMs: number;
  /** Resolves to true once the process does its work; false or an error means "ask again". */
  isReady: (signal: AbortSignal) => Promise<boolean>;
  /** Runs before every start, e.g. to clear what a killed predecessor left. */
  prepare?: () => Promise<void>;
};

/** Told when a process ended that nobody asked to end. */
export type ExitListener = (exit: { code: number | null; signal: NodeJS.Signals | null }) => void;

/** A child process that can be started again with the same arguments, ports and data. */
export type ManagedProcess = {
  readonly name: string;
  readonly title: string;
  readonly logFile: string;
  /** Number of the running process; null while it does not run. */
  pid(): number | null;
  /** Starts it and waits until it is ready. @throws StackError with the end of its log when it does not become ready */
  start(): Promise<void>;
  /** Sends any signal; for one that ends it (SIGKILL, SIGTERM, SIGINT) waits until it is gone. Does not start it again. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Stops it gracefully, by force when it does not obey, with everything it started. Fine when it does not run. */
  stop(): Promise<void>;
  onUnexpectedExit(listener: ExitListener): void;
};

const READY_POLL_MS = 50;

/** Describes a child process; nothing runs before `start`. */
export function createManagedProcess(spec: ProcessSpec): ManagedProcess {
  const listeners: ExitListener[] = [];
  let running: Running | null = null;

  return {
    name: spec.name,
    title: spec.title,
    logFile: spec.logFile,
    pid: () => running?.pid ?? null,
    async start() {
      if (running !== null) return;
      await spec.prepare?.();
      const started = launch(spec, (exit) => {
        running = null;
        if (started.isReady && !started.isEnding) for (const listener of listeners) listener(exit);
      });
      running = started;
      try {
        await waitUntilReady(spec, started);
      } catch (error) {
        await end(spec, started);
        throw error;
      }
      started.isReady = true;
    },
    async kill(signal) {
      const target = running;
      if (target === null) return;
      const ends = signal === 'SIGKILL' || signal === 'SIGTERM' || signal === 'SIGINT';
      if (ends) target.isEnding = true;
      target.child.kill(signal);
      if (ends) await target.exited;
    },
    async stop() {
      if (running !== null) await end(spec, running);
    },
    onUnexpectedExit: (listener) => listeners.push(listener),
  };
}

type Running = {
  child: ChildProcess;
  pid: number;
  exited: Promise<void>;
  hasExited: boolean;
  isEnding: boolean;
  /** Before that its end is told by `start` alone: who starts it anew hears of it once. */
  isReady: boolean;
};

function launch(spec: ProcessSpec, onExit: ExitListener): Running {
  const output = openLog(spec.logFile);
  // A group of its own: Ctrl-C in the terminal reaches the launcher alone, which then stops everything in order.
  const child = spawn(spec.file, spec.args, {
    cwd: spec.cwd,
    env: spec.env,
    stdio: ['ignore', output, output],
    detached: true,
    ...(spec.uid === undefined ? {} : { uid: spec.uid }),
    ...(spec.gid === undefined ? {} : { gid: spec.gid }),
  });
  closeSync(output);
  const logKeeper = keepLogSmall(spec.logFile);
  const { promise: exited, resolve: settle } = Promise.withResolvers<void>();
  const running: Running = { child, pid: child.pid ?? 0, exited, hasExited: false, isEnding: false, isReady: false };
  let isOver = false;
  const over = (code: number | null, signal: NodeJS.Signals | null) => {
    if (isOver) return;
    isOver = true;
    running.hasExited = true;
    logKeeper.stop();
    spec.records.forget(spec.name);
    onExit({ code, signal });
    settle();
  };
  child.once('exit', over);
  child.once('error', () => over(null, null));
  if (child.pid !== undefined) spec.records.note(spec.name, child.pid, spec.stopSignal);
  return running;
}

async function waitUntilReady(spec: ProcessSpec, running: Running): Promise<void> {
  const deadline = AbortSignal.timeout(spec.readyTimeoutMs);
  while (!deadline.aborted && !running.hasExited) {
    const isReady = await spec.isReady(deadline).catch(() => false);
    if (isReady && !running.hasExited) return;
    await delay(READY_POLL_MS);
  }
  const what = running.hasExited
    ? 'ended while it was starting'
    : `was not ready within ${spec.readyTimeoutMs / 1000} s`;
  throw new StackError(`${spec.title} ${what}. The end of ${spec.logFile}:\n${await endOfLog(spec.logFile)}`);
}

async function end(spec: ProcessSpec, running: Running): Promise<void> {
  running.isEnding = true;
  running.child.kill(spec.stopSignal);
  // A stopped process takes notice of nothing but SIGKILL until it goes on.
  running.child.kill('SIGCONT');
  const patience = new AbortController();
  await Promise.race([
    running.exited,
    delay(spec.stopTimeoutMs, undefined, { signal: patience.signal }).catch(() => undefined),
  ]);
  patience.abort();
  if (!running.hasExited) running.child.kill('SIGKILL');
  await running.exited;
  killGroup(running.pid);
}
