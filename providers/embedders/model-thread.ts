import { Worker } from 'node:worker_threads';
import type { SentenceModelSource } from './sentence-model.ts';

export type WorkerRequest = { kind: 'embed'; id: number; texts: readonly string[] } | { kind: 'close' };
export type WorkerReady = { kind: 'ready'; dimensions: number; maxTokens: number };
export type WorkerStart = WorkerReady | { kind: 'unusable'; message: string };
export type WorkerAnswer =
  { kind: 'vectors'; id: number; vectors: Float32Array[] } | { kind: 'failed'; id: number; message: string };

/** `isNice`: the thread gets only the CPU time that no other thread of the machine needs (on Linux). */
export type ModelThreadOptions = { source: SentenceModelSource; isNice: boolean };

type Waiting = { resolve: (vectors: Float32Array[]) => void; reject: (error: Error) => void };

/** A worker thread with a loaded model that runs on this thread alone. */
export class ModelThread {
  readonly description: WorkerReady;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #onEnd: () => void = () => undefined;
  readonly #exited: Promise<void>;
  #endReason: Error | null = null;

  /** Starts a thread and loads the model. @throws Error that says why the model cannot be used. */
  static async start(options: ModelThreadOptions): Promise<ModelThread> {
    // Turns off the telemetry of the ONNX runtime, which reads the environment of the process, not of the thread.
    process.env['ORT_DISABLE_TELEMETRY'] = '1';
    const worker = new Worker(new URL('local-worker.ts', import.meta.url), {
      workerData: options,
      // The default lets garbage grow to 16 MiB in each thread before it is collected.
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    const description = await new Promise<WorkerReady>((resolve, reject) => {
      worker.once('message', (first: WorkerStart) => {
        if (first.kind === 'ready') resolve(first);
        else reject(new Error(first.message));
      });
      worker.once('error', (cause) => reject(new Error('The embedding thread failed while loading.', { cause })));
      worker.once('exit', (code) => reject(new Error(`The embedding thread ended while loading, with code ${code}.`)));
    });
    return new ModelThread(worker, description);
  }

  private constructor(worker: Worker, description: WorkerReady) {
    this.#worker = worker;
    this.description = description;
    worker.on('message', (answer: WorkerAnswer) => this.#answer(answer));
    worker.on('error', (error) => this.#end(new Error('The embedding thread failed.', { cause: error })));
    this.#exited = new Promise((resolve) => {
      worker.once('exit', (code) => {
        this.#end(new Error(`The embedding thread ended, with code ${code}.`));
        resolve();
      });
    });
  }

  /** Calls `onEnd` once when the thread has ended, before its requests fail. */
  whenEnded(onEnd: () => void): void {
    if (this.#endReason) onEnd();
    else this.#onEnd = onEnd;
  }

  embed(texts: readonly string[]): Promise<Float32Array[]> {
    if (this.#endReason) return Promise.reject(this.#endReason);
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ kind: 'embed', id, texts } satisfies WorkerRequest, []);
    });
  }

  /** Waits for the running request, releases the model and ends the thread. */
  async close(): Promise<void> {
    this.#worker.postMessage({ kind: 'close' } satisfies WorkerRequest, []);
    await this.#exited;
  }

  #answer(answer: WorkerAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (answer.kind === 'vectors') waiting?.resolve(answer.vectors);
    else waiting?.reject(new Error(`The embedding model failed: ${answer.message}`));
  }

  #end(error: Error): void {
    if (this.#endReason) return;
    this.#endReason = error;
    this.#onEnd();
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}
