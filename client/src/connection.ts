import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LociError } from './loci-error.ts';

/** Where Loci is and who asks. */
export type Connection = {
  baseUrl: string;
  apiKey: string | null;
  token: string | null;
  workspaceId: string | null;
  /** The collection to use when none is named; only a local installation has one. */
  collectionId: string | null;
  /** Where this was found, for people. */
  source: string;
};

export type ConnectionOptions = {
  /** Address of the service, e.g. `http://127.0.0.1:8700`. */
  baseUrl?: string | undefined;
  apiKey?: string | undefined;
  /** A bearer token of a user, instead of a key. */
  token?: string | undefined;
  /** Another workspace than that of the key or token. */
  workspaceId?: string | undefined;
  /** Where the search for `.loci/connection.json` begins; the current folder by default. */
  folder?: string | undefined;
  environment?: Readonly<Record<string, string | undefined>> | undefined;
};

const FILE = join('.loci', 'connection.json');

/**
 * What was given, else the environment (`LOCI_URL`, `LOCI_API_KEY`, `LOCI_TOKEN`, `LOCI_WORKSPACE_ID`), else
 * `.loci/connection.json` of this folder or one above it, which a running `npm start` keeps. Credentials of the file go to
 * the address of the file only.
 * @throws LociError `not_configured` when no address is known, `not_running` when the file is left over from a stopped service
 */
export function findConnection(options: ConnectionOptions = {}): Connection {
  const environment = options.environment ?? process.env;
  const baseUrl = options.baseUrl ?? set(environment['LOCI_URL']);
  const token = options.token ?? (options.apiKey === undefined ? set(environment['LOCI_TOKEN']) : null) ?? null;
  const apiKey = options.apiKey ?? (token === null ? set(environment['LOCI_API_KEY']) : null) ?? null;
  const workspaceId = options.workspaceId ?? set(environment['LOCI_WORKSPACE_ID']) ?? null;
  if (baseUrl !== undefined) {
    const source = options.baseUrl === undefined ? 'LOCI_URL' : 'the address given';
    return { baseUrl: addressOf(baseUrl), apiKey, token, workspaceId, collectionId: null, source };
  }
  const found = findFile(options.folder ?? process.cwd());
  if (found === null) throw notConfigured();
  requireRunning(found.path, found.fields['pid']);
  const ownKey = apiKey === null && token === null ? textOf(found.fields['api_key']) : apiKey;
  return {
    baseUrl: addressOf(textOf(found.fields['base_url']) ?? ''),
    apiKey: ownKey,
    token,
    workspaceId,
    collectionId: textOf(found.fields['collection_id']),
    source: found.path,
  };
}

type Found = { path: string; fields: Record<string, unknown> };

function findFile(folder: string): Found | null {
  for (let here = folder; ; here = dirname(here)) {
    const path = join(here, FILE);
    const text = readIfThere(path);
    if (text !== null) {
      const fields = parse(path, text);
      requireOwn(path, fields['base_url']);
      return { path, fields };
    }
    if (dirname(here) === here) return null;
  }
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : null;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new LociError(`${path} cannot be read (${String(code)}).`, {
      status: null,
      code: 'not_configured',
      cause: error,
    });
  }
}

/** Whoever could write the file, or bring it along in a repository, would be sent what is uploaded, and the key of the environment. */
function requireOwn(path: string, baseUrl: unknown): void {
  const own = process.getuid?.();
  if (own === undefined) return;
  const { uid, mode } = statSync(path);
  if (![own, 0].includes(uid)) throw notUsed(path, 'belongs to another user');
  const isOpen = (mode & 0o077) !== 0;
  if (isOpen && !isLoopback(baseUrl)) {
    throw notUsed(path, 'leads to another machine and is open to other users, as npm start never leaves it');
  }
}

function isLoopback(baseUrl: unknown): boolean {
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) return false;
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(baseUrl).hostname);
}

function notUsed(path: string, problem: string): LociError {
  return new LociError(`${path} ${problem}, so it is not used. Give --base-url and an API key.`, {
    status: null,
    code: 'not_configured',
  });
}

function parse(path: string, text: string): Record<string, unknown> {
  try {
    const fields: unknown = JSON.parse(text);
    if (typeof fields === 'object' && fields !== null) return { ...fields };
  } catch {
    // Told below, as what it is to the reader.
  }
  throw new LociError(`${path} is damaged: start Loci again, or give --base-url and an API key.`, {
    status: null,
    code: 'not_configured',
  });
}

/** The file goes when the service stops; one that is left over is told by the process that wrote it. */
function requireRunning(path: string, pid: unknown): void {
  if (typeof pid !== 'number') return;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // A process of another user is there all the same.
    if (error instanceof Error && Reflect.get(error, 'code') === 'EPERM') return;
    throw new LociError(
      `Loci is not running: ${path} is left over from a process that is gone. Start it with npm start.`,
      {
        status: null,
        code: 'not_running',
      },
    );
  }
}

function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) {
    return url.href.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
  }
  throw new LociError(`"${text}" is no address of a service; give one such as http://127.0.0.1:8700.`, {
    status: null,
    code: 'not_configured',
  });
}

function notConfigured(): LociError {
  return new LociError(
    'Where is Loci? There is no .loci/connection.json in this folder or above it. Start Loci here with npm start, or give ' +
      'its address and a key: --base-url and --api-key, or LOCI_URL and LOCI_API_KEY.',
    { status: null, code: 'not_configured' },
  );
}

function set(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : value;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
