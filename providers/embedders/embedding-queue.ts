/** A call of `embed` and its progress. */
type EmbedCall = {
  texts: readonly string[];
  /** Indices of `texts`, shortest first: texts of similar length need little padding. */
  order: readonly number[];
  /** How many of `order` were started, and how many are finished. */
  started: number;
  finished: number;
  vectors: Float32Array[];
  isUrgent: boolean;
  resolve: (vectors: Float32Array[]) => void;
  reject: (error: unknown) => void;
};

/** Calls that wait for their next unit, in turn. */
type Lane = { calls: EmbedCall[]; isRunning: boolean };

const EMPTY = new Float32Array(0);

export type QueueOptions = {
  /** Embeds one unit of texts. A failure fails the call that the unit belongs to. */
  run: (texts: readonly string[]) => Promise<Float32Array[]>;
  /** Most texts and characters of a unit, which bound how long a query waits. */
  unitTexts: number;
  unitCharacters: number;
};

export type EmbedRequest = { texts: readonly string[]; isUrgent: boolean; signal?: AbortSignal | undefined };

/**
 * Shares one model between concurrent calls, in small units. Ordinary calls take turns, one unit at a time. While an urgent unit
 * runs, no ordinary one is started; an urgent unit does not wait for an ordinary one to finish. Texts are referenced, not copied,
 * so memory is bounded by what callers hold.
 */
export class EmbeddingQueue {
  readonly #options: QueueOptions;
  readonly #urgent: Lane = { calls: [], isRunning: false };
  readonly #ordinary: Lane = { calls: [], isRunning: false };
  readonly #pending = new Set<EmbedCall>();
  #closeReason: Error | null = null;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /**
   * Returns vectors in the order of the texts.
   * @throws the reason of `signal` as soon as it is aborted; a unit that is running still finishes.
   */
  async embed(request: EmbedRequest): Promise<Float32Array[]> {
    const { texts, signal } = request;
    signal?.throwIfAborted();
    if (this.#closeReason) throw this.#closeReason;
    if (texts.length === 0) return [];
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array[]>();
    const order = Array.from(texts.keys()).sort((a, b) => (texts[a]?.length ?? 0) - (texts[b]?.length ?? 0) || a - b);
    const vectors = Array.from({ length: texts.length }, () => EMPTY);
    const call: EmbedCall = {
      texts,
      order,
      started: 0,
      finished: 0,
      vectors,
      isUrgent: request.isUrgent,
      resolve,
      reject,
    };
    const abort = (): void => this.#fail(call, signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    this.#pending.add(call);
    this.#callsOf(call).push(call);
    this.#next();
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Fails all calls that are not finished, and all later ones. */
  close(reason: Error): void {
    this.#closeReason = reason;
    for (const call of this.#pending) this.#fail(call, reason);
  }

  #next(): void {
    this.#begin(this.#urgent);
    if (!this.#urgent.isRunning) this.#begin(this.#ordinary);
  }

  #begin(lane: Lane): void {
    const call = lane.calls[0];
    if (lane.isRunning || !call) return;
    lane.isRunning = true;
    void this.#runUnit(call, this.#takeUnit(call)).finally(() => {
      lane.isRunning = false;
      this.#next();
    });
  }

  /** Takes the next texts of a call. The call leaves the queue until they are finished, and then goes to its end. */
  #takeUnit(call: EmbedCall): readonly number[] {
    const start = call.started;
    let characters = 0;
    while (call.started < call.order.length && call.started - start < this.#options.unitTexts) {
      characters += call.texts[call.order[call.started] ?? 0]?.length ?? 0;
      if (characters > this.#options.unitCharacters && call.started > start) break;
      call.started++;
    }
    this.#dequeue(call);
    return call.order.slice(start, call.started);
  }

  async #runUnit(call: EmbedCall, indices: readonly number[]): Promise<void> {
    try {
      const vectors = await this.#options.run(indices.map((index) => call.texts[index] ?? ''));
      for (const [at, index] of indices.entries()) {
        const vector = vectors[at];
        if (!vector) throw new RangeError(`the model returned ${vectors.length} vectors for ${indices.length} texts`);
        call.vectors[index] = vector;
      }
      call.finished += indices.length;
      if (call.finished < call.order.length && this.#pending.has(call)) this.#callsOf(call).push(call);
      else if (this.#pending.delete(call)) call.resolve(call.vectors);
    } catch (error) {
      this.#fail(call, error);
    }
  }

  #callsOf(call: EmbedCall): EmbedCall[] {
    return (call.isUrgent ? this.#urgent : this.#ordinary).calls;
  }

  #dequeue(call: EmbedCall): void {
    const calls = this.#callsOf(call);
    const at = calls.indexOf(call);
    if (at !== -1) calls.splice(at, 1);
  }

  #fail(call: EmbedCall, error: unknown): void {
    this.#dequeue(call);
    if (this.#pending.delete(call)) call.reject(error);
  }
}
