/** Entry point of the worker thread that `model-thread.ts` starts. */

import { constants, setPriority } from 'node:os';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { loadSentenceModel } from './sentence-model.ts';
import type { ModelThreadOptions, WorkerAnswer, WorkerRequest, WorkerStart } from './model-thread.ts';

/** Loads the model, reports that it is ready or why it cannot be used, then answers requests. */
async function main(port: MessagePort): Promise<void> {
  // Set by model-thread.ts.
  const { source, isNice } = workerData as ModelThreadOptions;
  if (isNice) giveWay();
  const model = await loadSentenceModel(source);
  const send = (answer: WorkerAnswer | WorkerStart): void => port.postMessage(answer, []);
  port.on('message', (request: WorkerRequest) => {
    if (request.kind === 'close') {
      void model.close().finally(() => port.close());
      return;
    }
    model.embed(request.texts).then(
      (vectors) => send({ kind: 'vectors', id: request.id, vectors }),
      (error: unknown) => send({ kind: 'failed', id: request.id, message: messageOf(error) }),
    );
  });
  send({ kind: 'ready', dimensions: model.dimensions, maxTokens: model.maxTokens });
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

if (!parentPort) throw new Error('local-worker.ts runs as a worker thread only');
const port = parentPort;
await main(port).catch((error: unknown) => {
  port.postMessage({ kind: 'unusable', message: messageOf(error) } satisfies WorkerStart, []);
  port.close();
});
