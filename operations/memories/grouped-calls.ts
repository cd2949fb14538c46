import { FairQueue } from '#domain/fair-queue.ts';
import { AppError } from '#domain/app-error.ts';

/** What became of one call of a group. */
export type CallOutcome<Result> = { result: Result } | { error: unknown };

export type GroupOptions<Item, Result> = {
  /** Serves the items of one key together, with an outcome for each. When it throws, every call of the group fails. */
  run: (key: string, items: readonly Item[]) => Promise<readonly CallOutcome<Result>[]>;
  sizeOf: (item: Item) => number;
  /** A group takes no further items once it has this many, or this much. */
  maxItems: number;
  maxSize: number;
  /** Most groups of one key that run at the same time. */
  maxRunning: number;
};

/** As many calls start a group beside those that run, however many run. */
const ENOUGH_CALLS = 8;

export type CallPlace = {
  /** Only calls with the same key share a group. Keys do not wait for each other. */
  key: string;
  /** The request that the call belongs to: requests that wait take turns. */
  share: string;
  /** On the clock of `performance.now()`: a call that waits longer fails. It does not end a group that runs. */
  deadlineMs: number;
};

type WaitingCall<Item, Result> = {
  item: Item;
  deadlineMs: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

type KeyQueue<Call> = {
  key: string;
  calls: FairQueue<Call>;
  groups: number;
  /** Calls in the groups that run. */
  running: number;
  isScheduled: boolean;
};

/**
 * Serves calls that arrive together as one, as databases commit in groups. An idle key starts at the end of the event loop's turn,
 * so nothing waits for others to arrive. While a group runs, the next one gathers. It starts beside the first when it has as many
 * calls: a group that starts with the first call to arrive would keep groups small, and each costs what a larger one does.
 */
export class GroupedCalls<Item, Result> {
  readonly #options: GroupOptions<Item, Result>;
  readonly #queues = new Map<string, KeyQueue<WaitingCall<Item, Result>>>();

  constructor(options: GroupOptions<Item, Result>) {
    this.#options = options;
  }

  /** @throws AppError `dependency_unavailable` when the deadline passes before the call's group starts; the error of its group. */
  call(item: Item, { key, share, deadlineMs }: CallPlace): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const queue = this.#queues.get(key) ?? { key, calls: new FairQueue(1), groups: 0, running: 0, isScheduled: false };
    this.#queues.set(key, queue);
    queue.calls.add({ item, deadlineMs, resolve, reject }, { lane: 0, share });
    this.#schedule(queue);
    return promise;
  }

  #schedule(queue: KeyQueue<WaitingCall<Item, Result>>): void {
    if (queue.isScheduled || !this.#mayStart(queue)) return;
    queue.isScheduled = true;
    setImmediate(() => {
      queue.isScheduled = false;
      if (this.#mayStart(queue)) void this.#runNext(queue);
    });
  }

  #mayStart({ calls, groups, running }: KeyQueue<WaitingCall<Item, Result>>): boolean {
    if (groups === 0) return calls.size > 0;
    return groups < this.#options.maxRunning && calls.size >= Math.min(running, ENOUGH_CALLS);
  }

  async #runNext(queue: KeyQueue<WaitingCall<Item, Result>>): Promise<void> {
    const { calls, release } = this.#takeGroup(queue);
    queue.groups += 1;
    queue.running += calls.length;
    this.#schedule(queue);
    if (calls.length > 0) await this.#serve(queue.key, calls);
    queue.groups -= 1;
    queue.running -= calls.length;
    release();
    if (queue.groups === 0 && queue.calls.size === 0) this.#queues.delete(queue.key);
    else this.#schedule(queue);
  }

  #takeGroup({ calls: waiting }: KeyQueue<WaitingCall<Item, Result>>) {
    const { maxItems, maxSize, sizeOf } = this.#options;
    const calls: WaitingCall<Item, Result>[] = [];
    const releases: (() => void)[] = [];
    for (let size = 0; calls.length < maxItems && size < maxSize;) {
      const taken = waiting.take();
      if (taken === null) break;
      releases.push(taken.release);
      if (taken.item.deadlineMs < performance.now()) {
        taken.item.reject(
          new AppError('dependency_unavailable', 'The wait for the index or the embedder was too long.'),
        );
        continue;
      }
      size += sizeOf(taken.item.item);
      calls.push(taken.item);
    }
    return { calls, release: () => releases.forEach((release) => release()) };
  }

  async #serve(key: string, calls: readonly WaitingCall<Item, Result>[]): Promise<void> {
    try {
      const items = calls.map(({ item }) => item);
      const outcomes = await this.#options.run(key, items);
      for (const [at, call] of calls.entries()) {
        const outcome = outcomes[at] ?? { error: new AppError('internal', 'A call of a group has no outcome.') };
        if ('result' in outcome) call.resolve(outcome.result);
        else call.reject(outcome.error);
      }
    } catch (error) {
      for (const call of calls) call.reject(error);
    }
  }
}
