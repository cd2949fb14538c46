import { constants, setPriority } from 'node:os';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { ModelThreadOptions, ThreadAnswer, ThreadRequest, ThreadStart } from './model-thread.ts';
import { UnusableModelError } from './unusable-model.ts';

type ServedModel<Model, Description, Input, Output> = {
  /** What other threads are told about the model. */
  describe: (model: Model) => Description;
  run: (model: Model, input: Input) => Promise<Output>;
};

/** Runs in the worker thread that `model-thread.ts` starts: loads its model, reports that it is ready or why it cannot be used, then answers requests. */
export async function serveModel<Model extends { close(): Promise<void> }, Description, Input, Output>(
  // Any source: whoever starts the thread knows which one its program needs.
  load: (source: never) => Promise<Model>,
  served: ServedModel<Model, Description, Input, Output>,
): Promise<void> {
  if (!parentPort) throw new Error('a model is served in a worker thread only');
  const port = parentPort;
  // Set by model-thread.ts.
  const { source, isNice } = workerData as ModelThreadOptions<never>;
  if (isNice) giveWay();
  try {
    answerRequests(port, await load(source), served);
  } catch (error) {
    const reason = error instanceof UnusableModelError ? error.reason : null;
    port.postMessage({ kind: 'unusable', message: messageOf(error), reason } satisfies ThreadStart<Description>, []);
    port.close();
  }
}

function answerRequests<Model extends { close(): Promise<void> }, Description, Input, Output>(
  port: MessagePort,
  model: Model,
  { describe, run }: ServedModel<Model, Description, Input, Output>,
): void {
  const send = (answer: ThreadAnswer<Output> | ThreadStart<Description>): void => port.postMessage(answer, []);
  port.on('message', (request: ThreadRequest<Input>) => {
    if (request.kind === 'close') {
      void model.close().finally(() => port.close());
      return;
    }
    run(model, request.input).then(
      (output) => send({ kind: 'done', id: request.id, output }),
      (error: unknown) => send({ kind: 'failed', id: request.id, message: messageOf(error) }),
    );
  });
  send({ kind: 'ready', description: describe(model) });
}

/** Linux has a priority for each thread; elsewhere it would be that of the process, which must not change. */
function giveWay(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Not permitted here: the thread competes like any other.
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
