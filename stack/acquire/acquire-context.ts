import type { Log } from '#stack/timed-step.ts';

/** What the functions that obtain servers and models need. */
export type AcquireContext = {
  cacheDir: string;
  /** Environment variables; settings and PATH are read from here. */
  environment: NodeJS.ProcessEnv;
  log: Log;
};
