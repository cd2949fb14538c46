import type { Log } from '#observability/log.ts';
import type { Stores } from '#store/stores.ts';

/** Notes the workflows that this process has started, and records in their outbox rows that they are running. */
export type StartedWorkflows = {
  note(workflowId: string): void;
  close(): Promise<void>;
};

/** A row is due two seconds after it was written; by then it has been recorded, unless its workflow has ended. */
const RECORD_EVERY_MS = 500;

/**
 * Records what was noted half a second to a second before, in one statement. Most small uploads have ended by then, and their rows
 * are gone: they cost no write. What a killed process has not recorded is started again by the outbox loop, which changes nothing.
 */
export function createStartedWorkflows({ stores, log }: { stores: Stores; log: Log }): StartedWorkflows {
  let noted: string[] = [];
  let waiting: string[] = [];
  const record = async (workflowIds: readonly string[]) => {
    if (workflowIds.length === 0) return;
    try {
      await stores.system.markAllStarted(workflowIds);
    } catch (error) {
      const fields = { error, workflows: workflowIds.length };
      log.warn(fields, 'started workflows could not be recorded; the outbox loop will do it');
    }
  };
  const timer = setInterval(() => {
    const due = waiting;
    waiting = noted;
    noted = [];
    void record(due);
  }, RECORD_EVERY_MS);
  timer.unref();
  return {
    note: (workflowId) => void noted.push(workflowId),
    close: async () => {
      clearInterval(timer);
      await record([...waiting, ...noted]);
    },
  };
}
