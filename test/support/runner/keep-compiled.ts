import { flushCompileCache } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/** API and worker have loaded everything by then. */
const LOADED_MS = 20_000;

// API and worker load this file in a test run. Node stores what it has compiled only when a process ends, and tests kill these. A
// worker that starts again from stored code needs half of the processor time.
if (isMainThread) setTimeout(flushCompileCache, LOADED_MS).unref();
