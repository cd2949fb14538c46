/** Most tasks that wait, and most bytes of their texts. */
export type QueueLimit = { tasks: number; bytes: number };

type Load = { tasks: number; bytes: number };

/** Bounds what waits in a queue, for each share and in total. */
export class QueueBounds {
  readonly #limits: { share: QueueLimit; total: QueueLimit };
  readonly #shares = new Map<string, Load>();
  readonly #total: Load = { tasks: 0, bytes: 0 };

  constructor(limits: { share: QueueLimit; total: QueueLimit }) {
    this.#limits = limits;
  }

  /**
   * Counts a task that is to wait. Returns the function that counts it as gone; only its first call counts. Returns what is full when
   * there is no room: the part of the share, or the queue as a whole. A task always has room in an empty queue, whatever its size.
   */
  enter(share: string, bytes: number): (() => void) | 'share' | 'total' {
    const load = this.#shares.get(share) ?? { tasks: 0, bytes: 0 };
    if (isFull(load, bytes, this.#limits.share)) return 'share';
    if (isFull(this.#total, bytes, this.#limits.total)) return 'total';
    this.#shares.set(share, load);
    for (const one of [load, this.#total]) add(one, 1, bytes);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      for (const one of [load, this.#total]) add(one, -1, -bytes);
      if (load.tasks === 0) this.#shares.delete(share);
    };
  }
}

function isFull(load: Load, bytes: number, limit: QueueLimit): boolean {
  return load.tasks >= limit.tasks || (load.tasks > 0 && load.bytes + bytes > limit.bytes);
}

function add(load: Load, tasks: number, bytes: number): void {
  load.tasks += tasks;
  load.bytes += bytes;
}
