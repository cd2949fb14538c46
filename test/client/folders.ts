import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ExecutionContext } from 'ava';

/** Creates a temporary folder with these files by path. Removed at the end of the test. */
export async function folderOf(
  t: ExecutionContext,
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'loci-client-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

/** Adds a file whose name is not UTF-8, and returns true; false where the file system takes no such name. */
export async function addFileWithoutUtf8Name(folder: string): Promise<boolean> {
  const path = Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9]), Buffer.from('.txt')]);
  return writeFile(path, 'A name in Latin-1.').then(
    () => true,
    () => false,
  );
}

/** Small distinct texts by path, in folders of ten. */
export function manyFiles(count: number, topic: string): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      join(`part-${Math.floor(index / 10)}`, `${topic}-${index}.txt`),
      `Number ${index} of the notes about ${topic}.`,
    ]),
  );
}
