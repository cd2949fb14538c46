/** Runs `work` once for all callers of a key that ask before it starts. */
export type SharedRuns = (key: string, work: () => Promise<void>) => Promise<void>;

/**
 * Returns a function that runs one work of a key at a time. A caller never shares a run that started before it asked, because
 * that one may not cover what the caller did before.
 */
export function createSharedRuns(): SharedRuns {
  const running = new Map<string, Promise<void>>();
  const next = new Map<string, Promise<void>>();
  return (key, work) => {
    const shared = next.get(key);
    if (shared) return shared;
    const before = running.get(key) ?? Promise.resolve();
    const run = before
      .catch(() => undefined)
      .then(() => {
        next.delete(key);
        const started = work().finally(() => {
          if (running.get(key) === started) running.delete(key);
        });
        running.set(key, started);
        return started;
      });
    next.set(key, run);
    return run;
  };
}
