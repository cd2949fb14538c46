import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';

/** A file of the console, as it is and in the encodings that the build made of it. */
export type ConsoleFile = { mediaType: string; plain: Buffer; br: Buffer | null; gzip: Buffer | null };

export type Console = {
  /** The page with a placeholder for the nonce of its styles. */
  page: string;
  /** By path below `/console/`. */
  files: ReadonlyMap<string, ConsoleFile>;
};

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** Returns when the console in this folder was built; null if it was not. */
export async function consoleBuiltAt(folder: string): Promise<number | null> {
  return stat(join(folder, 'index.html')).then(
    ({ mtimeMs }) => mtimeMs,
    () => null,
  );
}

/** Reads the console into memory: it is small, and a name of a request then never becomes a path. */
export async function readConsole(folder: string): Promise<Console> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const known = new Set(paths);
  const encoded = (path: string) => (known.has(path) ? readFile(path) : null);
  const files = new Map<string, ConsoleFile>();
  for (const path of paths) {
    const mediaType = MEDIA_TYPES[extname(path)];
    if (mediaType === undefined) continue;
    const [plain, br, gzip] = await Promise.all([readFile(path), encoded(`${path}.br`), encoded(`${path}.gz`)]);
    files.set(relative(folder, path).split(sep).join('/'), { mediaType, plain, br, gzip });
  }
  return { page: await readFile(join(folder, 'index.html'), 'utf8'), files };
}
