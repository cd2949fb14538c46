import { defineSignal, patched, setHandler } from '@temporalio/workflow';
import type { ControlAction } from '#domain/uploads/ingest-jobs.ts';

const pauseSignal = defineSignal('pause');
const resumeSignal = defineSignal('resume');
const cancelSignal = defineSignal('cancel');

/**
 * Handles the signals `pause`, `resume` and `cancel` one after the other, in the order in which they arrive: the last one wins.
 */
export function handleControlSignals(handle: (action: ControlAction) => Promise<void>): void {
  let last: Promise<void> | null = null;
  for (const [signal, action] of [
    [pauseSignal, 'pause'],
    [resumeSignal, 'resume'],
    [cancelSignal, 'cancel'],
  ] as const) {
    setHandler(signal, async () => {
      const previous = last;
      const current = Promise.withResolvers<void>();
      last = current.promise;
      try {
        // Older histories contain handlers that ran concurrently.
        if (previous && patched('steering-in-order')) await previous;
        await handle(action);
      } finally {
        current.resolve();
        if (last === current.promise) last = null;
      }
    });
  }
}
