const lines = new Map<string, Promise<unknown>>();

/**
 * Does works of one key one after the other, within this process, in the order in which they came. Meant for works that
 * would else wait for one lock in the database, each on a connection that others need.
 */
export async function runExclusiveByKey<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  const mine = (lines.get(key) ?? Promise.resolve()).then(work);
  // Whoever stands behind does not care how this one ended.
  const end = mine.catch(() => undefined);
  lines.set(key, end);
  try {
    return await mine;
  } finally {
    if (lines.get(key) === end) lines.delete(key);
  }
}
