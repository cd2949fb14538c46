/** Urgent tasks of a key that may pass another task in a row; then that one runs. */
const MAX_PASSING = 8;

type Waiting = { run: () => Promise<void>; isUrgent: boolean };

/** The tasks of a key that wait for the running one. `passed`: how many urgent ones have passed the first that is not. */
type Queue = { waiting: Waiting[]; passed: number };

const queues = new Map<string, Queue>();

/**
 * Runs tasks of one key one after the other, within this process: urgent ones first, otherwise in order of arrival. For tasks that
 * would otherwise wait for the same database lock, each on a connection of the pool that other requests need.
 */
export function runExclusiveByKey<Result>(
  key: string,
  task: () => Promise<Result>,
  { isUrgent = false }: { isUrgent?: boolean } = {},
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const run = async () => {
      try {
        resolve(await task());
      } catch (error) {
        reject(error);
      }
    };
    const queue = queues.get(key);
    if (queue) {
      queue.waiting.push({ run, isUrgent });
      return;
    }
    const own: Queue = { waiting: [{ run, isUrgent }], passed: 0 };
    queues.set(key, own);
    void runAll(key, own);
  });
}

async function runAll(key: string, queue: Queue): Promise<void> {
  for (let next = takeNext(queue); next !== undefined; next = takeNext(queue)) await next.run();
  queues.delete(key);
}

function takeNext(queue: Queue): Waiting | undefined {
  const urgent = queue.passed < MAX_PASSING ? queue.waiting.findIndex(({ isUrgent }) => isUrgent) : -1;
  const place = Math.max(urgent, 0);
  queue.passed = place > 0 ? queue.passed + 1 : 0;
  return queue.waiting.splice(place, 1)[0];
}
