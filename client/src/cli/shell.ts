import { createLociClient, type LociClient } from '../create-loci-client.ts';
import { LociError } from '../loci-error.ts';
import type { components } from '../schema.ts';
import { oneLine } from './printable.ts';
import type { Fetch } from '../transport.ts';

/** Options of every command. */
export type GlobalOptions = {
  baseUrl?: string | undefined;
  apiKey?: string | undefined;
  token?: string | undefined;
  workspace?: string | undefined;
  json?: true | undefined;
};

/** Functions that the commands share. */
export type Shell = {
  /** Creates a client from the options, the environment or `.loci/connection.json`. */
  openClient(options?: { retries?: number }): LociClient;
  /** Creates a client with the administrator token. @throws LociError `not_configured` without one */
  openAdministration(): LociClient;
  /** Prints a result: only JSON with `--json`, otherwise a text for people. */
  print<Value>(value: Value, text: (value: Value) => string): void;
  /** Prints a note on standard error, also with `--json`, whose result is on standard output. */
  printNote(line: string): void;
  isJson(): boolean;
  /** Makes the command exit with the code for failures. */
  reportFailures(): void;
  signal: AbortSignal;
};

export type ShellOptions = { signal: AbortSignal; onFailures: () => void };

/** Interactive commands retry only once, so that the user sees the error soon. */
const RETRIES = 1;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function createShell(globals: () => GlobalOptions, { signal, onFailures }: ShellOptions): Shell {
  return {
    signal,
    reportFailures: onFailures,
    isJson: () => globals().json === true,
    openClient({ retries = RETRIES } = {}) {
      const { baseUrl, apiKey, token, workspace } = globals();
      return createLociClient({
        baseUrl,
        apiKey,
        token,
        workspaceId: workspace,
        retries,
        fetch: interruptible(signal),
      });
    },
    openAdministration() {
      const { baseUrl, token } = globals();
      const adminToken = token ?? createLociClient({ baseUrl }).connection.adminToken;
      if (adminToken === null) throw noAdminToken();
      return createLociClient({ baseUrl, token: adminToken, retries: RETRIES, fetch: interruptible(signal) });
    },
    print(value, text) {
      console.log(globals().json === true ? JSON.stringify(value, null, 2) : text(value));
    },
    printNote(line) {
      console.error(line);
    },
  };
}

/** Returns a `fetch` that is aborted when the command is interrupted. */
function interruptible(signal: AbortSignal): Fetch {
  return (input, init) => {
    const own = init?.signal ?? (input instanceof Request ? input.signal : null);
    return fetch(input, { ...init, signal: own ? AbortSignal.any([own, signal]) : signal });
  };
}

/**
 * Returns the id of a collection given by id or name; without one, the id of the collection of the local installation.
 * @throws LociError if there is none, or more than one with this name
 */
export async function resolveCollectionId(loci: LociClient, given: string | undefined): Promise<string> {
  if (given === undefined) {
    if (loci.connection.collectionId !== null) return loci.connection.collectionId;
    throw notFound('Select a collection with --collection, by name or id. loci collections list shows them.');
  }
  if (UUID.test(given)) return given;
  const found = loci.paginate('/api/v1/collections', { query: { search: given, limit: 1000 } });
  const named: components['schemas']['Collection'][] = [];
  for await (const one of found) if (one.name === given && one.status !== 'deleting') named.push(one);
  const [only] = named;
  if (only === undefined) {
    throw notFound(`There is no collection called "${given}". Create it: loci collections create "${given}"`);
  }
  if (named.length === 1) return only.id;
  const shown = named.map(
    ({ id, created_at, description }) => `  ${id}  created ${created_at}  ${oneLine(description ?? '', 60)}`,
  );
  const detail = [`${named.length} collections are called "${given}". Use the id of one:`, ...shown].join('\n');
  throw new LociError(detail, { status: null, code: 'ambiguous' });
}

function noAdminToken(): LociError {
  const detail = 'This needs the administrator token of the service: set LOCI_ADMIN_TOKEN, or give it with --token.';
  return new LociError(detail, { status: null, code: 'not_configured' });
}

function notFound(detail: string): LociError {
  return new LociError(detail, { status: null, code: 'not_found' });
}
