import { flushCompileCache } from 'node:module';

/**
 * Stores the compiled code of this process where the environment variable NODE_COMPILE_CACHE says, if it says so. Node would store it
 * only when a process ends by itself, and a worker that was killed should start fast as well. The first start of a version writes
 * thousands of files, which blocks the event loop for half a second: call it before the worker takes tasks. The API does not call it: it
 * must answer, and two processes that write the same folder at once need seconds.
 */
export function keepCompiledCode(): void {
  flushCompileCache();
}
