/** Entry point of the worker thread that `model-thread.ts` starts. */

import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { hashFile, readModelFolder } from './model-folder.ts';
import { loadSentenceModel } from './sentence-model.ts';
import type { WorkerAnswer, WorkerRequest, WorkerStart } from './model-thread.ts';

/** Loads the model, reports that it is ready or why it cannot be used, then answers requests. */
async function main(port: MessagePort): Promise<void> {
  // Set by model-thread.ts.
  const { folder, threads } = workerData as { folder: string; threads: number };
  const described = await readModelFolder(folder);
  const model = await loadSentenceModel(described, threads);
  const modelHash = await hashFile(described.weightsPath);
  const send = (answer: WorkerAnswer | WorkerStart): void => port.postMessage(answer, []);
  port.on('message', (request: WorkerRequest) => {
    if (request.kind === 'close') {
      void model.close().finally(() => port.close());
      return;
    }
    // Requests overlap: a new one starts between two runs of the model, so a query does not wait for a long document.
    model.embed(request.texts).then(
      (vectors) => send({ kind: 'vectors', id: request.id, vectors }),
      (error: unknown) => send({ kind: 'failed', id: request.id, message: messageOf(error) }),
    );
  });
  send({
    kind: 'ready',
    dimensions: model.dimensions,
    maxTokens: model.maxTokens,
    prefixes: described.prefixes,
    modelHash,
  });
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
