import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { unreadableReason, type UploadFailure } from '../upload/upload-input.ts';
import { folderName, contentPathInFolder, contentPathOfFile, type FoundFile } from './content-path.ts';
import { walkFiles } from './walk-files.ts';

/** A file to upload; `isInFolder` if it was found in a folder, not given by itself. */
export type CollectedFile = FoundFile & { isInFolder: boolean };
export type Collected = { files: CollectedFile[]; problems: UploadFailure[] };

/** Returns the given files and all files of the given folders. A file that is given twice is taken once, as that of a folder. */
export async function collectFiles(paths: readonly string[], options: { hidden: boolean }): Promise<Collected> {
  const all: Collected = { files: [], problems: [] };
  for (const path of paths) {
    const isFolder = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (isFolder) await collectFolder(all, { path, name: folderName(path) }, options);
    // The upload reports files that do not exist.
    else all.files.push({ path, contentPath: contentPathOfFile(path), isInFolder: false });
  }
  const files = new Map<string, CollectedFile>();
  for (const file of all.files) {
    const place = resolve(file.path);
    // In a folder it has a path of its own, by which it replaces its content.
    if (!files.has(place) || (file.isInFolder && files.get(place)?.isInFolder === false)) files.set(place, file);
  }
  return { files: [...files.values()], problems: all.problems };
}

async function collectFolder(
  { files, problems }: Collected,
  folder: { path: string; name: string },
  options: { hidden: boolean },
): Promise<void> {
  for await (const found of walkFiles(folder.path, options)) {
    const { path } = found;
    if (!('problem' in found)) files.push({ path, contentPath: contentPathInFolder(folder, path), isInFolder: true });
    else problems.push(unreadable(path, found.problem));
  }
}

function unreadable(path: string, problem: unknown): UploadFailure {
  // What is no UTF-8 in a name has been replaced, so that no file of this name is found.
  const message = path.includes('\ufffd') ? 'Its name is not UTF-8.' : unreadableReason(problem);
  return { input: path, name: path, source: 'file', code: 'unreadable_file', message };
}
