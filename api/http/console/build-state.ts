import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** What a running or failed build of the console says of itself; there is none after a successful one. */
export const BuildState = z.union([
  z.object({ status: z.literal('building'), pid: z.int() }),
  z.object({ status: z.literal('failed'), message: z.string() }),
]);
export type BuildState = z.infer<typeof BuildState>;

/** Where the state is kept, within the folder of the console. */
export const BUILD_STATE_FILE = '.build-state.json';

/** Returns why there is no console: it is being built, building it failed, or nobody has built it (null). */
export async function readBuildState(consoleFolder: string): Promise<BuildState | null> {
  const text = await readFile(join(consoleFolder, BUILD_STATE_FILE), 'utf8').catch(() => null);
  const state = text === null ? null : (BuildState.safeParse(parse(text)).data ?? null);
  if (state?.status !== 'building' || isRunning(state.pid)) return state;
  return { status: 'failed', message: 'The build was stopped before it had finished.' };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
