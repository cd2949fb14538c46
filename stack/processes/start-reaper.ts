import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** Starts the process that stops the servers of a launcher when it ends, however it does. `release` ends it and waits for it. */
export function startReaper(stateDir: string, launcher: string, isTemporary: boolean) {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'reaper.ts'), stateDir, launcher, ...(isTemporary ? ['--remove'] : [])],
    {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    },
  );
  const exited = new Promise<void>((settle) => {
    child.once('exit', () => settle());
    child.once('error', () => settle());
  });
  child.unref();
  return {
    async release() {
      child.ref();
      child.stdin.end();
      await exited;
    },
  };
}
