import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { isConsoleBuilt } from './build-console.ts';

/**
 * Builds the console in a process of its own if it is missing or older than its sources. Until then `/console` says that it is
 * being built. Returns whether it had to; the process ends with this one or when the signal is aborted.
 */
export function buildInBackground({ log, signal }: { log: (line: string) => void; signal: AbortSignal }): boolean {
  if (isConsoleBuilt()) return false;
  const child = spawn(process.execPath, [join(PROJECT_DIR, 'stack', 'console', 'main.ts'), '--background'], {
    cwd: PROJECT_DIR,
    stdio: 'ignore',
    signal,
  });
  const endWithParent = () => child.kill();
  process.once('exit', endWithParent);
  child.once('error', () => undefined);
  child.once('exit', (code) => {
    process.removeListener('exit', endWithParent);
    if (signal.aborted) return;
    log(
      code === 0 ? 'The console is ready.' : 'The console could not be built: open /console, or run `npm run console`.',
    );
  });
  return true;
}
