import { defineSignal, patched, setHandler } from '@temporalio/workflow';

const pauseSignal = defineSignal('pause');
const resumeSignal = defineSignal('resume');
const cancelSignal = defineSignal('cancel');

export type SteeringAction = 'pause' | 'resume' | 'cancel';

/** Has the signals of operators take effect one after the other, in the order in which they came: the last one counts. */
export function onSteering(steer: (action: SteeringAction) => Promise<void>): void {
  let last: Promise<void> | null = null;
  for (const [signal, action] of [
    [pauseSignal, 'pause'],
    [resumeSignal, 'resume'],
    [cancelSignal, 'cancel'],
  ] as const) {
    setHandler(signal, async () => {
      const before = last;
      const own = Promise.withResolvers<void>();
      last = own.promise;
      try {
        // Histories of before hold steps that were taken side by side.
        if (before && patched('steering-in-order')) await before;
        await steer(action);
      } finally {
        own.resolve();
        if (last === own.promise) last = null;
      }
    });
  }
}
