/** `resetMs`: until the minute of the key ends. `isOver`: the limit was reached before. */
export type RequestCount = { remaining: number; resetMs: number; isOver: boolean };

/** Counts by key, for a minute from the first of them on. */
export type RequestCounter = { count(key: string): Promise<RequestCount> };

/** Where requests are counted. */
export type RequestCounters = {
  /** Returns a counter with a limit. Counters of the same name share their counts, where these are shared. */
  counter(name: string, limit: number): RequestCounter;
};
