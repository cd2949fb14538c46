import { createHash } from 'node:crypto';
import { basename, isAbsolute, relative, resolve, sep } from 'node:path';

const MAX_ID_CHARACTERS = 255;
const MAX_NAME_CHARACTERS = 1024;
const PREFIX = 'path:';
const HASHED_PREFIX = `${PREFIX}sha256:`;

/** A file on disk with its path in the collection, which begins with the name of the folder that was given. */
export type FoundFile = { path: string; contentPath: string };

/** Returns the name under which the files of a folder are stored: the last part of its path. */
export function folderName(folder: string): string {
  return basename(resolve(folder)).normalize('NFC');
}

/** Returns the path of a file of a folder in the collection, such as `docs/guides/start.md`. */
export function contentPathInFolder(folder: { path: string; name: string }, file: string): string {
  const parts = relative(folder.path, file).split(sep);
  return [folder.name, ...parts]
    .filter((part) => part !== '')
    .join('/')
    .normalize('NFC');
}

/** Returns the path of a file that was given by itself: from the working folder if it is in it, else its name. */
export function contentPathOfFile(file: string): string {
  const path = relative('', file);
  const isInside = path !== '' && !path.startsWith('..') && !isAbsolute(path);
  return (isInside ? path : basename(file)).split(sep).join('/').normalize('NFC');
}

/** Returns the `external_id` of the content with this path. A path that is too long for an id goes in hashed. */
export function externalIdOfPath(path: string): string {
  const id = PREFIX + path;
  if (id.length <= MAX_ID_CHARACTERS) return id;
  return `${HASHED_PREFIX}${createHash('sha256').update(path).digest('hex')}`;
}

/** Returns true for an `external_id` that does not tell its path, because the path is too long. */
export function isHashedId(id: string): boolean {
  return id.startsWith(HASHED_PREFIX);
}

/** Returns true for the `external_id` of a path in the folder of this name, and for hashed ones, which may be in it. */
export function isIdInFolder(id: string, folder: string): boolean {
  return isHashedId(id) || id.startsWith(`${PREFIX}${folder}/`);
}

/** Returns true if a name in the path below the folder begins with a dot, and if a path is too long to tell. */
export function hasHiddenPart(content: { external_id: string; name: string }, folder: string): boolean {
  const path = isHashedId(content.external_id) ? content.name : content.external_id.slice(PREFIX.length);
  if (path.startsWith('…')) return true;
  const below = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
  return below.split('/').some((part) => part.startsWith('.'));
}

/** Returns the name of the content with this path; of a path that is too long, its end. */
export function nameOfPath(path: string): string {
  return path.length <= MAX_NAME_CHARACTERS ? path : `…${path.slice(1 - MAX_NAME_CHARACTERS)}`;
}
