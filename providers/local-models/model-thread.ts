import { Worker } from 'node:worker_threads';
import { ModelThreadError } from './unusable-model.ts';

export type ThreadRequest<Input> = { kind: 'run'; id: number; input: Input } | { kind: 'close' };
export type ThreadStart<Description> =
  { kind: 'ready'; description: Description } | { kind: 'unusable'; message: string; reason: string | null };
export type ThreadAnswer<Output> =
  { kind: 'done'; id: number; output: Output } | { kind: 'failed'; id: number; message: string };

/**
 * `source`: what the thread needs to load its model. `isNice`: the thread gets only the CPU time that no other thread of the
 * machine needs (on Linux).
 */
export type ModelThreadOptions<Source> = { source: Source; isNice: boolean };

type Waiting<Output> = { resolve: (output: Output) => void; reject: (error: Error) => void };

/** A worker thread with a loaded model that runs on this thread alone. */
export class ModelThread<Description, Input, Output> {
  readonly description: Description;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting<Output>>();
  #lastId = 0;
  #onEnd: () => void = () => undefined;
  readonly #exited: Promise<void>;
  #endReason: Error | null = null;

  /**
   * Starts a thread with a program that calls `serveModel`, which loads the model.
   * @throws Error that says why the model cannot be used.
   */
  static async start<Source, Description, Input, Output>(
    program: URL,
    options: ModelThreadOptions<Source>,
  ): Promise<ModelThread<Description, Input, Output>> {
    // Turns off the telemetry of the ONNX runtime, which reads the environment of the process, not of the thread.
    process.env['ORT_DISABLE_TELEMETRY'] = '1';
    const worker = new Worker(program, {
      workerData: options,
      // The default lets garbage grow to 16 MiB in each thread before it is collected.
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    const description = await new Promise<Description>((resolve, reject) => {
      worker.once('message', (first: ThreadStart<Description>) => {
        if (first.kind === 'ready') resolve(first.description);
        else reject(new ModelThreadError(first.message, first.reason));
      });
      worker.once('error', (cause) => reject(new Error('The thread of the model failed while loading.', { cause })));
      worker.once('exit', (code) => {
        reject(new Error(`The thread of the model ended while loading, with code ${code}.`));
      });
    });
    return new ModelThread(worker, description);
  }

  private constructor(worker: Worker, description: Description) {
    this.#worker = worker;
    this.description = description;
    worker.on('message', (answer: ThreadAnswer<Output>) => this.#answer(answer));
    worker.on('error', (error) => this.#end(new Error('The thread of the model failed.', { cause: error })));
    this.#exited = new Promise((resolve) => {
      worker.once('exit', (code) => {
        this.#end(new Error(`The thread of the model ended, with code ${code}.`));
        resolve();
      });
    });
  }

  /** Whether the thread answers no more. */
  get hasEnded(): boolean {
    return this.#endReason !== null;
  }

  /** Calls `onEnd` once when the thread has ended, before its requests fail. */
  whenEnded(onEnd: () => void): void {
    if (this.#endReason) onEnd();
    else this.#onEnd = onEnd;
  }

  run(input: Input): Promise<Output> {
    if (this.#endReason) return Promise.reject(this.#endReason);
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ kind: 'run', id, input } satisfies ThreadRequest<Input>, []);
    });
  }

  /** Waits for the running request, releases the model and ends the thread. */
  async close(): Promise<void> {
    this.#worker.postMessage({ kind: 'close' } satisfies ThreadRequest<Input>, []);
    await this.#exited;
  }

  #answer(answer: ThreadAnswer<Output>): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (answer.kind === 'done') waiting?.resolve(answer.output);
    else waiting?.reject(new Error(`The model failed: ${answer.message}`));
  }

  #end(error: Error): void {
    if (this.#endReason) return;
    this.#endReason = error;
    this.#onEnd();
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}
