/** A model in memory that can be asked to leave it: at once, or as soon as the calls that use it have ended. */
export type PlacedModel = { leave(): void };

/**
 * Bounds how many local models of a process are in memory. When all places are taken, the model that was used longest ago leaves,
 * and who has waited longest gets its place. A model that is used all the time so gives way as well; its next call waits in line.
 */
export class ModelPlaces {
  readonly #limit: number;
  readonly #onChange: (count: number) => void;
  /** Those in memory, the least recently used one first. */
  readonly #placed = new Set<PlacedModel>();
  readonly #leaving = new Set<PlacedModel>();
  #waiting: { model: PlacedModel; answer: (mayEnter: boolean) => void }[] = [];

  /** `onChange` is told how many models are in memory. */
  constructor(limit: number, onChange: (count: number) => void = () => undefined) {
    this.#limit = limit;
    this.#onChange = onChange;
  }

  /** Resolves to true when a model may be loaded: it then has a place until `release`. To false if it gave up. */
  async take(model: PlacedModel): Promise<boolean> {
    if (this.#waiting.length === 0 && this.#placed.size < this.#limit) {
      this.#enter(model);
      return true;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#waiting.push({ model, answer: resolve });
    this.#makeRoom();
    return promise;
  }

  /** Waits no more for a place. */
  giveUp(model: PlacedModel): void {
    const [given, others] = [
      this.#waiting.filter((one) => one.model === model),
      this.#waiting.filter((one) => one.model !== model),
    ];
    this.#waiting = others;
    for (const { answer } of given) answer(false);
  }

  /** Says that a model in memory is used now. */
  touch(model: PlacedModel): void {
    if (this.#placed.delete(model)) this.#placed.add(model);
  }

  /** Gives back the place of a model that is no longer in memory, if it has one. */
  release(model: PlacedModel): void {
    this.#leaving.delete(model);
    if (!this.#placed.delete(model)) return;
    const next = this.#waiting.shift();
    if (!next) return this.#onChange(this.#placed.size);
    this.#enter(next.model);
    next.answer(true);
    this.#makeRoom();
  }

  #enter(model: PlacedModel): void {
    this.#placed.add(model);
    this.#onChange(this.#placed.size);
  }

  /** One model leaves for each that waits. */
  #makeRoom(): void {
    // Those that leave at once make room for others, which change the set.
    const placed = Array.from(this.#placed);
    for (const model of placed) {
      if (this.#leaving.size >= this.#waiting.length) return;
      if (this.#leaving.has(model)) continue;
      this.#leaving.add(model);
      model.leave();
    }
  }
}
