import { setTimeout as delay } from 'node:timers/promises';
import type { ManagedProcess } from './managed-process.ts';
import { endOfLog } from './process-log.ts';
import { reasonOf } from './stack-error.ts';
import type { Log } from './timed-step.ts';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** A process that ran for so long has recovered: its next end counts as the first. */
const RECOVERED_AFTER_MS = 60_000;
const SHOWN_LOG_LINES = 8;

/**
 * Starts a process again whenever it ends unasked, after pauses that double up to half a minute.
 * @param signal aborted when everything is being stopped; nothing is started after that
 */
export function supervise(managed: ManagedProcess, { log, signal }: { log: Log; signal: AbortSignal }): void {
  let pauseMs = FIRST_PAUSE_MS;
  let startedAt = performance.now();

  const startAgain = async () => {
    while (!signal.aborted) {
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      try {
        startedAt = performance.now();
        await managed.start();
        log(`${managed.title} runs again`);
        return;
      } catch (error) {
        if (!signal.aborted) log(`${managed.title} could not be started: ${reasonOf(error)}`);
      }
    }
  };

  managed.onUnexpectedExit(({ code, signal: killedBy }) => {
    if (signal.aborted) return;
    if (performance.now() - startedAt > RECOVERED_AFTER_MS) pauseMs = FIRST_PAUSE_MS;
    void endOfLog(managed.logFile, SHOWN_LOG_LINES).then((lines) => {
      log(
        `${managed.title} ended unexpectedly (${killedBy ?? `code ${code}`}), starting it again in ${pauseMs / 1000} s.`,
      );
      log(`The end of ${managed.logFile}:\n${lines}`);
      return startAgain();
    });
  });
}
