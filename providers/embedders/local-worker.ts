import { parentPort, workerData } from 'node:worker_threads';
import { hashFile, readModelFolder } from './model-folder.ts';
import { loadSentenceModel } from './sentence-model.ts';
import type { WorkerAnswer, WorkerReady, WorkerRequest } from './model-thread.ts';

/** Body of the thread that holds the model: announces it, then answers one unit after the other. */
async function main(): Promise<void> {
  if (!parentPort) throw new Error('local-worker.ts runs as a worker thread only');
  const port = parentPort;
  // Given by model-thread.ts, which starts this file.
  const { folder, threads } = workerData as { folder: string; threads: number };
  const described = await readModelFolder(folder);
  const [model, modelHash] = [await loadSentenceModel(described, threads), await hashFile(described.weightsPath)];
  port.on('message', (request: WorkerRequest) => {
    if (request.kind === 'close') {
      void model.close().finally(() => port.close());
      return;
    }
    model.embed(request.texts).then(
      (vectors) => port.postMessage({ kind: 'vectors', vectors } satisfies WorkerAnswer, []),
      (error: unknown) => port.postMessage({ kind: 'failed', message: String(error) } satisfies WorkerAnswer, []),
    );
  });
  port.postMessage({
    kind: 'ready',
    dimensions: model.dimensions,
    maxTokens: described.maxSequence - model.specialTokens,
    prefixes: described.prefixes,
    modelHash,
  } satisfies WorkerReady);
}

await main();
