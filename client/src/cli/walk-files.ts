import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

export type Walked = { path: string } | { path: string; problem: unknown };

/**
 * The files of a folder and all below it, in order of their names. What begins with a dot is left out unless `hidden` is
 * set. Links to files are followed, links to folders are not: they could lead around in circles.
 */
export async function* walkFiles(
  folder: string,
  options: { hidden: boolean },
): AsyncGenerator<Walked, void, undefined> {
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
    else if (entry.isFile()) yield { path };
    else if (entry.isSymbolicLink()) yield* linked(path);
  }
}

async function* linked(path: string): AsyncGenerator<Walked, void, undefined> {
  try {
    if ((await stat(path)).isFile()) yield { path };
  } catch (problem) {
    yield { path, problem };
  }
}
