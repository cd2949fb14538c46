import { FairQueue, type QueuePlace, type TakenItem } from '#domain/fair-queue.ts';

/** In the order in which they are served. */
const LANES = { query: 0, express: 1, bulk: 2 } as const;
export type EmbeddingLane = keyof typeof LANES;

/** A call of `embed` and its progress. */
type EmbedCall = {
  texts: readonly string[];
  /** Indices of `texts`, shortest first: texts of similar length need little padding. */
  order: readonly number[];
  /** How many of `order` were started, and how many are finished. */
  started: number;
  finished: number;
  /** Units whose slot ended, to be given to another one; the call waits once for each of them. */
  again: (readonly number[])[];
  repeated: Set<readonly number[]>;
  vectors: Float32Array[];
  lane: EmbeddingLane;
  place: QueuePlace;
  /** Aborts when the call has failed. */
  failed: AbortController;
  resolve: (vectors: Float32Array[]) => void;
  reject: (error: unknown) => void;
};

export type EmbedRequest = {
  texts: readonly string[];
  lane: EmbeddingLane;
  /** Within a lane, shares are served in turn. */
  share: string;
  signal?: AbortSignal | undefined;
};

/** Embeds one unit of texts at a time. */
export type EmbeddingSlot = {
  /** The slot takes units of this lane and of those before it. */
  upTo: EmbeddingLane;
  /** Most texts and characters of a unit, which bound how long those that come later wait for the slot. */
  unitTexts: number;
  unitCharacters: number;
  /** A failure fails the call that the unit belongs to, except that a `SlotEndedError` has the unit repeated once. */
  run: (unit: EmbeddingUnit) => Promise<Float32Array[]>;
};

/** `signal` aborts when nobody waits for the result. */
export type EmbeddingUnit = { texts: readonly string[]; lane: EmbeddingLane; share: string; signal: AbortSignal };

/** A slot ended while it ran a unit, mostly for a reason that has nothing to do with the texts. `cause` is the reason. */
export class SlotEndedError extends Error {}

const EMPTY = new Float32Array(0);

/**
 * Shares the slots of one model between concurrent calls, in small units: lanes in their order, the shares of a lane in turn, and
 * calls of one share in turn. Texts are referenced, not copied, so memory is bounded by what callers hold.
 */
export class EmbeddingQueue {
  readonly #waiting = new FairQueue<EmbedCall>(Object.keys(LANES).length);
  readonly #pending = new Set<EmbedCall>();
  readonly #onBacklog: (lane: EmbeddingLane) => void;
  /** Those that take fewer lanes come first, so that the others stay free for the rest. */
  #slots: EmbeddingSlot[] = [];
  readonly #busy = new Set<EmbeddingSlot>();
  #closeReason: Error | null = null;

  /** `onBacklog` is called while work of a lane waits that no slot is free for. */
  constructor(onBacklog: (lane: EmbeddingLane) => void = () => undefined) {
    this.#onBacklog = onBacklog;
  }

  addSlot(slot: EmbeddingSlot): void {
    this.#slots = [...this.#slots, slot].sort((a, b) => LANES[a.upTo] - LANES[b.upTo]);
    this.#next();
  }

  /** Gives a slot no more units. */
  removeSlot(slot: EmbeddingSlot): void {
    this.#slots = this.#slots.filter((other) => other !== slot);
  }

  /**
   * Returns vectors in the order of the texts.
   * @throws the reason of `signal` as soon as it is aborted; a unit that is running still occupies its slot.
   */
  async embed({ texts, lane, share, signal }: EmbedRequest): Promise<Float32Array[]> {
    signal?.throwIfAborted();
    if (this.#closeReason) throw this.#closeReason;
    if (texts.length === 0) return [];
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array[]>();
    const call: EmbedCall = {
      texts,
      order: Array.from(texts.keys()).sort((a, b) => (texts[a]?.length ?? 0) - (texts[b]?.length ?? 0) || a - b),
      started: 0,
      finished: 0,
      again: [],
      repeated: new Set(),
      vectors: Array.from({ length: texts.length }, () => EMPTY),
      lane,
      place: { lane: LANES[lane], share },
      failed: new AbortController(),
      resolve,
      reject,
    };
    const abort = (): void => this.#fail(call, signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    this.#pending.add(call);
    this.#waiting.add(call, call.place);
    this.#next();
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Fails the calls of a lane that wait, for example because no slot for it can be opened. */
  failWaiting(lane: EmbeddingLane, error: unknown): void {
    const waiting = new Set(this.#waiting.remove((call) => call.lane === lane));
    for (const call of waiting) this.#fail(call, error);
  }

  /** Fails all calls that are not finished, and all later ones. */
  close(reason: Error): void {
    this.#closeReason = reason;
    for (const call of this.#pending) this.#fail(call, reason);
  }

  #next(): void {
    for (const slot of this.#slots) {
      const taken = this.#busy.has(slot) ? null : this.#waiting.take(LANES[slot.upTo]);
      if (taken) void this.#runUnit(slot, taken);
    }
    for (const lane of ['query', 'express', 'bulk'] as const) {
      if (this.#waiting.hasWaiting(LANES[lane])) this.#onBacklog(lane);
    }
  }

  async #runUnit(slot: EmbeddingSlot, { item: call, release }: TakenItem<EmbedCall>): Promise<void> {
    this.#busy.add(slot);
    const again = call.again.shift();
    const indices = again ?? this.#startUnit(call, slot);
    if (again === undefined && call.started < call.order.length) this.#waiting.add(call, call.place);
    try {
      const texts = indices.map((index) => call.texts[index] ?? '');
      this.#finishUnit(call, {
        indices,
        vectors: await slot.run({ texts, lane: call.lane, share: call.place.share, signal: call.failed.signal }),
      });
    } catch (error) {
      if (!(error instanceof SlotEndedError)) this.#fail(call, error);
      else if (call.repeated.has(indices)) this.#fail(call, error.cause);
      else this.#repeat(call, indices);
    } finally {
      release();
      this.#busy.delete(slot);
      this.#next();
    }
  }

  /** Has a unit run again. If it ends another slot, its texts are the reason. */
  #repeat(call: EmbedCall, indices: readonly number[]): void {
    if (!this.#pending.has(call)) return;
    call.repeated.add(indices);
    call.again.push(indices);
    this.#waiting.add(call, call.place);
  }

  #startUnit(call: EmbedCall, slot: EmbeddingSlot): readonly number[] {
    const start = call.started;
    let characters = 0;
    while (call.started < call.order.length && call.started - start < slot.unitTexts) {
      characters += call.texts[call.order[call.started] ?? 0]?.length ?? 0;
      if (characters > slot.unitCharacters && call.started > start) break;
      call.started++;
    }
    return call.order.slice(start, call.started);
  }

  #finishUnit(call: EmbedCall, unit: { indices: readonly number[]; vectors: readonly Float32Array[] }): void {
    for (const [at, index] of unit.indices.entries()) {
      const vector = unit.vectors[at];
      if (!vector) {
        throw new RangeError(`the model returned ${unit.vectors.length} vectors for ${unit.indices.length} texts`);
      }
      call.vectors[index] = vector;
    }
    call.finished += unit.indices.length;
    if (call.finished === call.order.length && this.#pending.delete(call)) call.resolve(call.vectors);
  }

  #fail(call: EmbedCall, error: unknown): void {
    if (!this.#pending.delete(call)) return;
    this.#waiting.remove((waiting) => waiting === call);
    call.failed.abort(error);
    call.reject(error);
  }
}
