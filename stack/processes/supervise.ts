import { setTimeout as delay } from 'node:timers/promises';
import type { ManagedProcess } from './managed-process.ts';
import { readLogTail } from './process-log.ts';
import { reasonOf } from '#stack/stack-error.ts';
import type { Log } from '#stack/timed-step.ts';

const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** After running this long, a process counts as recovered, and the next restart uses the shortest pause again. */
const RECOVERED_AFTER_MS = 60_000;
const LOG_TAIL_LINES = 8;

/**
 * Restarts a process after every unexpected exit, with pauses that double up to half a minute.
 * @param signal aborted when the stack stops; after that, nothing is restarted
 */
export function supervise(managed: ManagedProcess, { log, signal }: { log: Log; signal: AbortSignal }): void {
  let pauseMs = MIN_PAUSE_MS;
  let startedAt = performance.now();

  const restart = async () => {
    while (!signal.aborted) {
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
      try {
        startedAt = performance.now();
        await managed.start();
        log(`${managed.title} is running again`);
        return;
      } catch (error) {
        if (!signal.aborted) log(`${managed.title} could not be started: ${reasonOf(error)}`);
      }
    }
  };

  managed.onUnexpectedExit(({ code, signal: killedBy }) => {
    if (signal.aborted) return;
    if (performance.now() - startedAt > RECOVERED_AFTER_MS) pauseMs = MIN_PAUSE_MS;
    void readLogTail(managed.logFile, LOG_TAIL_LINES).then((lines) => {
      log(`${managed.title} exited unexpectedly (${killedBy ?? `code ${code}`}); restarting in ${pauseMs / 1000} s.`);
      log(`The end of ${managed.logFile}:\n${lines}`);
      return restart();
    });
  });
}
