/** Collects items and works on them together, at most once per interval and never twice at the same time. */
export type PeriodicBatch<Item> = {
  /** Adds items; the work on them starts within the interval, or when the running work ends. */
  add(...items: Item[]): void;
  /** Works on what is left, and resolves when nothing is. @throws the first error of the work; items added after it are dropped. */
  drain(): Promise<void>;
};

type State<Item> = {
  waiting: Item[];
  running: Promise<void> | null;
  timer: NodeJS.Timeout | null;
  failure: { error: unknown } | null;
};

/** Creates a batch. With an interval of 0 ms the work starts with the first item; what arrives meanwhile is worked on next. */
export function createPeriodicBatch<Item>(
  everyMs: number,
  work: (items: readonly Item[]) => Promise<void>,
): PeriodicBatch<Item> {
  const state: State<Item> = { waiting: [], running: null, timer: null, failure: null };
  const run = async () => {
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
    if (everyMs === 0) start();
    else if (state.running === null) state.timer ??= setTimeout(start, everyMs);
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
