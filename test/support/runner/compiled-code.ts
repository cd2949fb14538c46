import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Several times what the modules of a checkout need. */
const MAX_FILES = 40_000;

/**
 * The folder in which Node keeps compiled code from one run to the next. Every test file is a process of its own, and without what an
 * earlier run has compiled, each would load the compiler that removes types, if only for the test file itself. Node compares the
 * sources, so that changed modules are compiled again. Modules of temporary folders are never asked for again: when too many files
 * have come together, all are removed.
 */
export function compiledCodeFolder(cacheDir: string): string {
  const folder = join(cacheDir, 'compiled-for-tests');
  if (countFiles(folder) > MAX_FILES) removeFolder(folder);
  return folder;
}

/** Another run may be writing to the folder, or removing it: it is moved away first. */
function removeFolder(folder: string): void {
  const old = `${folder}-${process.pid}`;
  try {
    renameSync(folder, old);
    rmSync(old, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // What is left costs space only.
  }
}

function countFiles(folder: string): number {
  try {
    return readdirSync(folder, { recursive: true }).length;
  } catch {
    // There is no such folder yet, or another run is removing it.
    return 0;
  }
}
