import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LociError } from './loci-error.ts';

/** Address and credentials of a Loci service. */
export type Connection = {
  baseUrl: string;
  apiKey: string | null;
  token: string | null;
  workspaceId: string | null;
  /** Default collection; only a local installation has one. */
  collectionId: string | null;
  /** Token that creates and lists workspaces, from `LOCI_ADMIN_TOKEN` or the local installation. */
  adminToken: string | null;
  /** Description of where the connection comes from. */
  source: string;
};

export type ConnectionOptions = {
  /** Address of the service, such as `http://127.0.0.1:8700`. */
  baseUrl?: string | undefined;
  apiKey?: string | undefined;
  /** Bearer token of a user, instead of an API key. */
  token?: string | undefined;
  /** Workspace, if it is not the one of the key or token. */
  workspaceId?: string | undefined;
  /** Folder in which the search for `.loci/connection.json` starts; by default the current folder. */
  folder?: string | undefined;
  environment?: Readonly<Record<string, string | undefined>> | undefined;
};

const FILE = join('.loci', 'connection.json');

/**
 * Returns the connection from the options, otherwise from the environment (`LOCI_URL`, `LOCI_API_KEY`, `LOCI_TOKEN`,
 * `LOCI_WORKSPACE_ID`), otherwise from `.loci/connection.json` in the folder or one of its parents, which `npm start` writes
 * while it runs. The credentials in the file are sent only to the address in the file.
 * @throws LociError `not_configured` if no address is known, `not_running` if the file is left over from a stopped service
 */
export function findConnection(options: ConnectionOptions = {}): Connection {
  const environment = options.environment ?? process.env;
  const baseUrl = options.baseUrl ?? nonEmpty(environment['LOCI_URL']);
  const token = options.token ?? (options.apiKey === undefined ? nonEmpty(environment['LOCI_TOKEN']) : null) ?? null;
  const apiKey = options.apiKey ?? (token === null ? nonEmpty(environment['LOCI_API_KEY']) : null) ?? null;
  const workspaceId = options.workspaceId ?? nonEmpty(environment['LOCI_WORKSPACE_ID']) ?? null;
  const adminToken = nonEmpty(environment['LOCI_ADMIN_TOKEN']) ?? null;
  if (baseUrl !== undefined) {
    const source = options.baseUrl === undefined ? 'LOCI_URL' : 'the given address';
    return { baseUrl: parseBaseUrl(baseUrl), apiKey, token, workspaceId, collectionId: null, adminToken, source };
  }
  const found = findFile(options.folder ?? process.cwd());
  if (found === null) throw notConfigured();
  requireRunning(found.path, found.fields['pid']);
  const ownKey = apiKey === null && token === null ? nonEmptyString(found.fields['api_key']) : apiKey;
  return {
    baseUrl: parseBaseUrl(nonEmptyString(found.fields['base_url']) ?? ''),
    apiKey: ownKey,
    token,
    workspaceId,
    collectionId: nonEmptyString(found.fields['collection_id']),
    adminToken: adminToken ?? nonEmptyString(found.fields['admin_token']),
    source: found.path,
  };
}

type FoundFile = { path: string; fields: Record<string, unknown> };

function findFile(folder: string): FoundFile | null {
  for (let here = folder; ; here = dirname(here)) {
    const path = join(here, FILE);
    const text = readIfExists(path);
    if (text !== null) {
      const fields = parse(path, text);
      requireTrusted(path, fields['base_url']);
      return { path, fields };
    }
    if (dirname(here) === here) return null;
  }
}

function readIfExists(path: string): string | null {
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

/**
 * Rejects a file that another user may have written or a repository may contain: uploads, and the API key of the environment,
 * would be sent to its address.
 */
function requireTrusted(path: string, baseUrl: unknown): void {
  const own = process.getuid?.();
  if (own === undefined) return;
  const { uid, mode } = statSync(path);
  if (![own, 0].includes(uid)) throw untrusted(path, 'belongs to another user');
  const isOpen = (mode & 0o077) !== 0;
  if (isOpen && !isLoopback(baseUrl)) {
    throw untrusted(path, 'points to another machine and is accessible to other users, which npm start never allows');
  }
}

function isLoopback(baseUrl: unknown): boolean {
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) return false;
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(baseUrl).hostname);
}

function untrusted(path: string, problem: string): LociError {
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
    // Reported below as a damaged file.
  }
  throw new LociError(`${path} is damaged: start Loci again, or give --base-url and an API key.`, {
    status: null,
    code: 'not_configured',
  });
}

/** The service removes the file when it stops. A leftover file is detected by the process id in it. */
function requireRunning(path: string, pid: unknown): void {
  if (typeof pid !== 'number') return;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM means that the process exists but belongs to another user.
    if (error instanceof Error && Reflect.get(error, 'code') === 'EPERM') return;
    throw new LociError(
      `Loci is not running: ${path} is left over from a process that has ended. Start it with npm start.`,
      {
        status: null,
        code: 'not_running',
      },
    );
  }
}

function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  // The address is part of messages, and fetch takes none with a password.
  if (url === null ? text.includes('@') : url.username !== '' || url.password !== '') throw addressWithPassword();
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) {
    return url.href.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
  }
  throw new LociError(`"${text}" is not a valid service address. Use one such as http://127.0.0.1:8700.`, {
    status: null,
    code: 'not_configured',
  });
}

function addressWithPassword(): LociError {
  const detail =
    'The address of the service has a user or a password before its host. Give it without them, such as http://127.0.0.1:8700, ' +
    'and an API key or a token.';
  return new LociError(detail, { status: null, code: 'not_configured' });
}

function notConfigured(): LociError {
  return new LociError(
    'Loci was not found: there is no .loci/connection.json in this folder or its parents. Start Loci here with npm start, or ' +
      'give its address and a key: --base-url and --api-key, or LOCI_URL and LOCI_API_KEY.',
    { status: null, code: 'not_configured' },
  );
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : value;
}

function nonEmptyString(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
