const queueTails = new Map<string, Promise<unknown>>();

/**
 * Runs tasks of one key one after the other, in order of arrival, within this process. For tasks that would otherwise wait for
 * the same database lock, each on a connection of the pool that other requests need.
 */
export async function runExclusiveByKey<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
  const running = (queueTails.get(key) ?? Promise.resolve()).then(task);
  // The next task runs whether or not this one fails.
  const tail = running.catch(() => undefined);
  queueTails.set(key, tail);
  try {
    return await running;
  } finally {
    if (queueTails.get(key) === tail) queueTails.delete(key);
  }
}
