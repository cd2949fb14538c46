import { startSecondProcess, type SecondProcess } from './second-process.ts';
import type { TestStack } from './stack.ts';

/** An additional worker beside that of the stack. */
export type SecondWorker = SecondProcess;

/** Starts a second worker, as on another machine, and waits until it is ready. It ends with the test process. */
export async function startSecondWorker(
  stack: Pick<TestStack, 'environment' | 'stateDir'>,
  name = 'worker-2',
): Promise<SecondWorker> {
  return startSecondProcess(stack, { kind: 'worker', name });
}
