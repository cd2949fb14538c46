import { dataOf } from '../data-of.ts';
import { createLociClient, type LociClient } from '../create-loci-client.ts';
import { LociError } from '../loci-error.ts';
import type { Fetch } from '../send.ts';

/** Options that every command takes. */
export type GlobalOptions = {
  baseUrl?: string | undefined;
  apiKey?: string | undefined;
  token?: string | undefined;
  workspace?: string | undefined;
  json?: true | undefined;
};

/** What the commands work with. */
export type Shell = {
  /** A client of the service that options, environment or `.loci/connection.json` name. */
  open(options?: { retries?: number }): LociClient;
  /** Prints a result: as JSON, and nothing else, or as a text for people. */
  print<Value>(value: Value, text: (value: Value) => string): void;
  /** A remark beside the result, for people only. */
  remark(line: string): void;
  isJson(): boolean;
  /** Has the command end with an exit code that says so. */
  onFailures(): void;
  signal: AbortSignal;
};

export type Surroundings = { signal: AbortSignal; onFailures: () => void };

/** A person waits at the terminal: one more try, then the reason. */
const RETRIES = 1;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function createShell(globals: () => GlobalOptions, { signal, onFailures }: Surroundings): Shell {
  return {
    signal,
    onFailures,
    isJson: () => globals().json === true,
    open({ retries = RETRIES } = {}) {
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
    print(value, text) {
      console.log(globals().json === true ? JSON.stringify(value, null, 2) : text(value));
    },
    remark(line) {
      if (globals().json !== true) console.error(line);
    },
  };
}

/** Every request ends with the command, which takes its signals itself. */
function interruptible(signal: AbortSignal): Fetch {
  return (input, init) => {
    const own = init?.signal ?? (input instanceof Request ? input.signal : null);
    return fetch(input, { ...init, signal: own ? AbortSignal.any([own, signal]) : signal });
  };
}

/**
 * The id of a collection given by id or name; without one, that of the local installation.
 * @throws LociError when there is none, or more than one of this name
 */
export async function collectionIdOf(loci: LociClient, given: string | undefined): Promise<string> {
  if (given === undefined) {
    if (loci.connection.collectionId !== null) return loci.connection.collectionId;
    throw notFound('Name a collection with --collection, by name or id; loci collections list shows them.');
  }
  if (UUID.test(given)) return given;
  const query = { search: given, limit: 1000 };
  const { data } = await dataOf(loci.api.GET('/api/v1/collections', { params: { query } }));
  const named = data.filter(({ name, status }) => name === given && status !== 'deleting');
  const [only] = named;
  if (only === undefined) {
    throw notFound(`There is no collection called "${given}". Create it: loci collections create "${given}"`);
  }
  if (named.length === 1) return only.id;
  throw notFound(
    `${named.length} collections are called "${given}"; name one by its id: ${named.map(({ id }) => id).join(', ')}`,
  );
}

function notFound(detail: string): LociError {
  return new LociError(detail, { status: null, code: 'not_found' });
}
