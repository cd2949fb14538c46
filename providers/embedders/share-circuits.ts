import { LRUCache } from 'lru-cache';
import { ServerCircuit } from './server-circuit.ts';

/** Workspaces whose failures are remembered. */
const MAX_SHARES = 1_000;

export type SharedCall = {
  /** A workspace id. */
  share: string;
  /** Failures that come from the work stop further calls of this kind only. */
  kind: string;
  /** Whether a failure that comes from the work may say something about the server as well. */
  isUsual: boolean;
  /** Aborts when nobody waits for the result any more. */
  signal?: AbortSignal;
};

/** The state of a workspace. `toldAfter`: successes before its last failure that said something about the server. */
type Share = { byKind: Map<string, ServerCircuit>; toldAfter: number };

/**
 * Keeps a process from calling a server in vain that many workspaces share: a circuit for the server, and one for each workspace and
 * kind of work. A failure that may come from the work counts for its own workspace. The server is stopped only when several
 * workspaces had such failures one after the other, or by failures that do not depend on the work.
 */
export class ShareCircuits {
  readonly #server = new ServerCircuit();
  readonly #shares = new LRUCache<string, Share>({ max: MAX_SHARES });
  readonly #comesFromWork: (error: unknown) => boolean;
  #successes = 0;

  /** `comesFromWork` tells failures that may be those of the work from those of the server. */
  constructor(comesFromWork: (error: unknown) => boolean) {
    this.#comesFromWork = comesFromWork;
  }

  /**
   * Calls the server.
   * @throws AppError `dependency_unavailable` without calling it, after failures.
   */
  async run<T>(call: () => Promise<T>, { share: key, kind, isUsual, signal }: SharedCall): Promise<T> {
    const share = this.#shareOf(key);
    const own = circuitOf(share, kind);
    const excuses = { own: new AbortController(), server: new AbortController() };
    const ask = async (): Promise<T> => {
      try {
        const result = await call();
        this.#successes += 1;
        return result;
      } catch (error) {
        const isExcused = this.#comesFromWork(error) && !(isUsual && this.#isNews(share));
        if (isExcused || signal?.aborted === true) excuses.server.abort();
        throw error;
      }
    };
    const askServer = async (): Promise<T> => {
      try {
        return await this.#server.run(ask, excuses.server.signal);
      } catch (error) {
        if (!this.#comesFromWork(error) || signal?.aborted === true) excuses.own.abort();
        throw error;
      }
    };
    return own.run(askServer, excuses.own.signal);
  }

  /** Whether a failure that may come from the work says something about the server: once for each workspace, until a success. */
  #isNews(share: Share): boolean {
    if (share.toldAfter === this.#successes) return false;
    share.toldAfter = this.#successes;
    return true;
  }

  #shareOf(key: string): Share {
    const known = this.#shares.get(key);
    if (known !== undefined) return known;
    const share = { byKind: new Map<string, ServerCircuit>(), toldAfter: -1 };
    this.#shares.set(key, share);
    return share;
  }
}

function circuitOf({ byKind }: Share, kind: string): ServerCircuit {
  const circuit = byKind.get(kind) ?? new ServerCircuit();
  byKind.set(kind, circuit);
  return circuit;
}
