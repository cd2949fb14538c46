import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Failures in more files than this are not considered chance. */
const MOST_FILES = 3;
/** Separates the parts of a title: folders, file, and the title of the test. */
const SEPARATOR = ' › ';
/** Counts the tests that a failed hook prevented. */
const REMAINING = /^\d+ tests? remaining in (\S+)$/;

/**
 * The files whose failed tests are run a second time, if only a few tests failed. A failed hook
 * counts as one. Null if a file crashed or hung, or if too many files failed. Expects the titles of a run over all of `test/`.
 */
export function filesToTryAgain(failures: readonly string[], projectDir: string): string[] | null {
  const files = new Set<string>();
  for (const failure of failures) {
    const file = fileOf(failure, projectDir);
    if (file === null) return null;
    files.add(file);
  }
  return files.size > 0 && files.size <= MOST_FILES ? [...files].toSorted() : null;
}

function fileOf(failure: string, projectDir: string): string | null {
  const title = failure.split('\n', 1)[0] ?? '';
  const [, ofHook] = REMAINING.exec(title) ?? [];
  if (ofHook !== undefined) return existsSync(join(projectDir, ofHook)) ? ofHook : null;
  const parts = title.split(SEPARATOR);
  for (let count = 1; count < parts.length; count += 1) {
    const file = `${join('test', ...parts.slice(0, count))}.test.ts`;
    if (existsSync(join(projectDir, file))) return file;
  }
  return null;
}
