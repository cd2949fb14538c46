import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { requireReadable } from '../upload/upload-input.ts';

export type WalkedFile = { path: string } | { path: string; problem: unknown };

/**
 * Yields the files of a folder and its subfolders, ordered by name; what cannot be read comes with the reason. Names that begin with
 * a dot are skipped unless `hidden` is set. Links to files are followed; links to folders are not, because they could form cycles.
 */
export async function* walkFiles(
  folder: string,
  options: { hidden: boolean },
): AsyncGenerator<WalkedFile, void, undefined> {
  let entries;
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (problem) {
    yield { path: folder, problem };
    return;
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (entry.name.startsWith('.') && !options.hidden) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walkFiles(path, options);
    else if (entry.isFile() || entry.isSymbolicLink()) yield* walkFile(path);
  }
}

async function* walkFile(path: string): AsyncGenerator<WalkedFile, void, undefined> {
  try {
    // A link may lead to a folder.
    if (!(await stat(path)).isFile()) return;
    await requireReadable(path);
    yield { path };
  } catch (problem) {
    yield { path, problem };
  }
}
