/** Collects items and works on them together, at most once per wait and never twice at the same time. */
export type PeriodicBatch<Item> = {
  /** Adds items; the work on them starts within the wait, or when the running work ends. */
  add(...items: Item[]): void;
  /** Works on what is left, and resolves when nothing is. @throws the first error of the work; items added after it are dropped. */
  drain(): Promise<void>;
};

type State<Item> = {
  waiting: Item[];
  running: Promise<void> | null;
  timer: NodeJS.Timeout | null;
  failure: { error: unknown } | null;
  isFirst: boolean;
};

/** How long items wait for others, in milliseconds: the first ones, which somebody may be waiting for, and all later ones. */
export type Waits = { firstMs: number; laterMs: number };

/** Creates a batch. With a wait of 0 ms the work starts with the first item; what arrives meanwhile is worked on next. */
export function createPeriodicBatch<Item>(
  { firstMs, laterMs }: Waits,
  work: (items: readonly Item[]) => Promise<void>,
): PeriodicBatch<Item> {
  const state: State<Item> = { waiting: [], running: null, timer: null, failure: null, isFirst: true };
  const run = async () => {
    state.isFirst = false;
    try {
      await work(state.waiting.splice(0));
    } catch (error) {
      state.failure ??= { error };
      state.waiting = [];
    }
    state.running = null;
    if (state.waiting.length > 0) schedule();
  };
  const start = () => {
    if (state.timer !== null) clearTimeout(state.timer);
    state.timer = null;
    state.running ??= run();
  };
  const schedule = () => {
    const waitMs = state.isFirst ? firstMs : laterMs;
    if (waitMs === 0) start();
    else if (state.running === null) state.timer ??= setTimeout(start, waitMs);
  };
  return {
    add(...items) {
      if (items.length === 0 || state.failure !== null) return;
      state.waiting.push(...items);
      schedule();
    },
    async drain() {
      while (state.running !== null || state.waiting.length > 0) {
        start();
        await state.running;
      }
      if (state.failure !== null) throw state.failure.error;
    },
  };
}
