import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { killProcessGroup } from './process-identity.ts';
import { readLogTail, limitLogSize, openProcessLog } from './process-log.ts';
import type { ProcessRecords, StopSignal } from './process-records.ts';
import { reasonOf, StackError } from '#stack/stack-error.ts';

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
  /** Resolves to true once the process is ready; after false or an error, it is called again. */
  isReady: (signal: AbortSignal) => Promise<boolean>;
  /** Runs before every start, for example to remove files of a killed predecessor. */
  prepare?: () => Promise<void>;
};

/** Called when a process exits that was not stopped. */
export type ExitListener = (exit: { code: number | null; signal: NodeJS.Signals | null }) => void;

/** A child process that can be restarted with the same arguments, ports and data. */
export type ManagedProcess = {
  readonly name: string;
  readonly title: string;
  readonly logFile: string;
  /** Process id; null while the process is not running. */
  pid(): number | null;
  /** Starts the process and waits until it is ready. @throws StackError with the end of its log if it does not get ready */
  start(): Promise<void>;
  /** Sends a signal. After SIGKILL, SIGTERM and SIGINT, waits for the exit. Does not restart the process. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Stops the process and its children: gracefully, then by force after a timeout. Does nothing if it is not running. */
  stop(): Promise<void>;
  onUnexpectedExit(listener: ExitListener): void;
};

const READY_POLL_MS = 50;

/** Creates a managed process without starting it. */
export function createManagedProcess(spec: ProcessSpec): ManagedProcess {
  const listeners: ExitListener[] = [];
  let running: RunningProcess | null = null;

  return {
    name: spec.name,
    title: spec.title,
    logFile: spec.logFile,
    pid: () => running?.pid ?? null,
    async start() {
      if (running !== null) return;
      await spec.prepare?.();
      const started = spawnProcess(spec, (exit) => {
        running = null;
        if (started.isReady && !started.isEnding) for (const listener of listeners) listener(exit);
      });
      running = started;
      try {
        recordProcess(spec, started);
        await waitUntilReady(spec, started);
      } catch (error) {
        await stopRunning(spec, started);
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
      if (running !== null) await stopRunning(spec, running);
    },
    onUnexpectedExit: (listener) => listeners.push(listener),
  };
}

type RunningProcess = {
  child: ChildProcess;
  pid: number;
  exited: Promise<void>;
  hasExited: boolean;
  isEnding: boolean;
  /** Until the process is ready, only `start` reports its exit, so that listeners do not restart it a second time. */
  isReady: boolean;
};

function spawnProcess(spec: ProcessSpec, onExit: ExitListener): RunningProcess {
  const output = openProcessLog(spec.logFile);
  // A separate process group: Ctrl-C in the terminal reaches only the launcher, which then stops everything in order.
  const child = spawn(spec.file, spec.args, {
    cwd: spec.cwd,
    env: spec.env,
    stdio: ['ignore', output, output],
    detached: true,
    ...(spec.uid === undefined ? {} : { uid: spec.uid }),
    ...(spec.gid === undefined ? {} : { gid: spec.gid }),
  });
  closeSync(output);
  const logLimit = limitLogSize(spec.logFile);
  const { promise: exited, resolve: settle } = Promise.withResolvers<void>();
  const running: RunningProcess = {
    child,
    pid: child.pid ?? 0,
    exited,
    hasExited: false,
    isEnding: false,
    isReady: false,
  };
  let hasEnded = false;
  const handleExit = (code: number | null, signal: NodeJS.Signals | null) => {
    if (hasEnded) return;
    hasEnded = true;
    running.hasExited = true;
    logLimit.stop();
    spec.records.remove(spec.name);
    onExit({ code, signal });
    settle();
  };
  child.once('exit', handleExit);
  child.once('error', () => handleExit(null, null));
  return running;
}

/** @throws StackError if it cannot be written down, for example on a full disk: nobody could stop the process after this launcher was killed */
function recordProcess(spec: ProcessSpec, { child }: RunningProcess): void {
  if (child.pid === undefined) return;
  try {
    spec.records.add(spec.name, child.pid, spec.stopSignal);
  } catch (cause) {
    throw new StackError(`${spec.title} was stopped, because its process could not be recorded: ${reasonOf(cause)}`, {
      cause,
    });
  }
}

async function waitUntilReady(spec: ProcessSpec, running: RunningProcess): Promise<void> {
  const deadline = AbortSignal.timeout(spec.readyTimeoutMs);
  while (!deadline.aborted && !running.hasExited) {
    const isReady = await spec.isReady(deadline).catch(() => false);
    if (isReady && !running.hasExited) return;
    await delay(READY_POLL_MS);
  }
  const problem = running.hasExited ? 'exited during startup' : `was not ready within ${spec.readyTimeoutMs / 1000} s`;
  throw new StackError(`${spec.title} ${problem}. The end of ${spec.logFile}:\n${await readLogTail(spec.logFile)}`);
}

async function stopRunning(spec: ProcessSpec, running: RunningProcess): Promise<void> {
  running.isEnding = true;
  running.child.kill(spec.stopSignal);
  // A suspended process handles only SIGKILL until it is resumed.
  running.child.kill('SIGCONT');
  const stopTimeout = new AbortController();
  await Promise.race([
    running.exited,
    delay(spec.stopTimeoutMs, undefined, { signal: stopTimeout.signal }).catch(() => undefined),
  ]);
  stopTimeout.abort();
  if (!running.hasExited) running.child.kill('SIGKILL');
  await running.exited;
  killProcessGroup(running.pid);
}
