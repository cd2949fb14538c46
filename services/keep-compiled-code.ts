import { flushCompileCache } from 'node:module';

/** API and worker have loaded everything by then. */
const LOADED_MS = 20_000;

/**
 * Stores the compiled code of this process where the environment variable NODE_COMPILE_CACHE says, if it says so. Node stores it only
 * when a process ends by itself, and a process that is killed should start fast as well: from stored code it needs half of the
 * processor time.
 */
export function keepCompiledCode(): void {
  setTimeout(flushCompileCache, LOADED_MS).unref();
}
