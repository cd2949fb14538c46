/** One call's texts and what has come back of them. */
type Job = {
  texts: readonly string[];
  /** Indices of `texts`, shortest first: texts of like length pad each other least. */
  order: readonly number[];
  /** How many of `order` were handed out, and how many came back. */
  taken: number;
  done: number;
  vectors: Float32Array[];
  isUrgent: boolean;
  resolve: (vectors: Float32Array[]) => void;
  reject: (error: unknown) => void;
};

/** Calls that wait for their next unit. */
type Lane = { jobs: Job[]; isRunning: boolean };

const EMPTY = new Float32Array(0);

export type QueueOptions = {
  /** Embeds one unit; a failure fails the call that the unit is of. */
  run: (texts: readonly string[]) => Promise<Float32Array[]>;
  /** A unit is closed at this many texts or characters: it is how long a query waits at most. */
  unitTexts: number;
  unitCharacters: number;
};

export type EmbedRequest = { texts: readonly string[]; isUrgent: boolean; signal?: AbortSignal | undefined };

/**
 * Shares one model between concurrent calls, in small units. Ordinary calls take turns, one unit at a time; no unit of
 * theirs is begun while an urgent one runs, and an urgent one does not wait for theirs to end.
 * Texts that wait are only referenced, vectors are handed over as they come: memory is bounded by what callers hold.
 */
export class EmbeddingQueue {
  readonly #options: QueueOptions;
  readonly #urgent: Lane = { jobs: [], isRunning: false };
  readonly #ordinary: Lane = { jobs: [], isRunning: false };
  readonly #open = new Set<Job>();
  #closedBy: Error | null = null;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** Vectors in the order of the texts. @throws the signal's reason when aborted, between two units at the latest. */
  async embed(request: EmbedRequest): Promise<Float32Array[]> {
    const { texts, signal } = request;
    signal?.throwIfAborted();
    if (this.#closedBy) throw this.#closedBy;
    if (texts.length === 0) return [];
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array[]>();
    const order = Array.from(texts.keys()).sort((a, b) => (texts[a]?.length ?? 0) - (texts[b]?.length ?? 0) || a - b);
    const vectors = Array.from({ length: texts.length }, () => EMPTY);
    const job: Job = { texts, order, taken: 0, done: 0, vectors, isUrgent: request.isUrgent, resolve, reject };
    const abort = (): void => this.#fail(job, signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    this.#open.add(job);
    this.#lineOf(job).push(job);
    this.#next();
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Fails every call that waits, and every later one. */
  close(reason: Error): void {
    this.#closedBy = reason;
    for (const job of this.#open) this.#fail(job, reason);
  }

  #next(): void {
    this.#begin(this.#urgent);
    if (!this.#urgent.isRunning) this.#begin(this.#ordinary);
  }

  #begin(lane: Lane): void {
    const job = lane.jobs[0];
    if (lane.isRunning || !job) return;
    lane.isRunning = true;
    void this.#runUnit(job, this.#takeUnit(job)).finally(() => {
      lane.isRunning = false;
      this.#next();
    });
  }

  /** The next texts of a job, which leaves the line until they are done: then it stands behind those who came since. */
  #takeUnit(job: Job): readonly number[] {
    const start = job.taken;
    let characters = 0;
    while (job.taken < job.order.length && job.taken - start < this.#options.unitTexts) {
      characters += job.texts[job.order[job.taken] ?? 0]?.length ?? 0;
      if (characters > this.#options.unitCharacters && job.taken > start) break;
      job.taken++;
    }
    this.#leaveLine(job);
    return job.order.slice(start, job.taken);
  }

  async #runUnit(job: Job, indices: readonly number[]): Promise<void> {
    try {
      const vectors = await this.#options.run(indices.map((index) => job.texts[index] ?? ''));
      for (const [at, index] of indices.entries()) {
        const vector = vectors[at];
        if (!vector) throw new RangeError(`the model gave ${vectors.length} vectors for ${indices.length} texts`);
        job.vectors[index] = vector;
      }
      job.done += indices.length;
      if (job.done < job.order.length && this.#open.has(job)) this.#lineOf(job).push(job);
      else if (this.#open.delete(job)) job.resolve(job.vectors);
    } catch (error) {
      this.#fail(job, error);
    }
  }

  #lineOf(job: Job): Job[] {
    return (job.isUrgent ? this.#urgent : this.#ordinary).jobs;
  }

  #leaveLine(job: Job): void {
    const line = this.#lineOf(job);
    const at = line.indexOf(job);
    if (at !== -1) line.splice(at, 1);
  }

  #fail(job: Job, error: unknown): void {
    this.#leaveLine(job);
    if (this.#open.delete(job)) job.reject(error);
  }
}
