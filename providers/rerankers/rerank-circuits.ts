import { LRUCache } from 'lru-cache';
import { ServerCircuit } from '#providers/embedders/server-circuit.ts';
import { RerankError } from './rerank-error.ts';

/** Workspaces whose late searches are remembered. */
const MAX_SHARES = 1_000;

/** `isGreat`: more passages than usual. */
export type RerankCaller = { share: string; isGreat: boolean };

/** The state of a workspace. Its searches that are late stop further ones of their kind only: usual ones, or those with great depths. */
type Share = { usual: ServerCircuit; great: ServerCircuit; lateAfter: number };

/**
 * Keeps a process from asking a model in vain: a circuit for the server, and two for each workspace. Whether a search is late depends
 * on its depth and its texts, so a late one counts for its own workspace. The server is stopped only when several workspaces were
 * late one after the other, or by failures that do not depend on the search.
 */
export class RerankCircuits {
  readonly #server = new ServerCircuit();
  readonly #shares = new LRUCache<string, Share>({ max: MAX_SHARES });
  #successes = 0;

  /**
   * Asks the model.
   * @throws AppError `dependency_unavailable` without asking it, after failures.
   */
  async run<T>(call: () => Promise<T>, { share: key, isGreat }: RerankCaller): Promise<T> {
    const share = this.#shareOf(key);
    const own = isGreat ? share.great : share.usual;
    const excuses = { own: new AbortController(), server: new AbortController() };
    const ask = async (): Promise<T> => {
      try {
        const result = await call();
        this.#successes += 1;
        return result;
      } catch (error) {
        if (isLate(error) && !this.#isNews(share, isGreat)) excuses.server.abort();
        throw error;
      }
    };
    const askServer = async (): Promise<T> => {
      try {
        return await this.#server.run(ask, excuses.server.signal);
      } catch (error) {
        if (!isLate(error)) excuses.own.abort();
        throw error;
      }
    };
    return own.run(askServer, excuses.own.signal);
  }

  /** Whether a late search says something about the server: once for each workspace, until a search succeeds. */
  #isNews(share: Share, isGreat: boolean): boolean {
    if (isGreat || share.lateAfter === this.#successes) return false;
    share.lateAfter = this.#successes;
    return true;
  }

  #shareOf(key: string): Share {
    const known = this.#shares.get(key);
    if (known !== undefined) return known;
    const share = { usual: new ServerCircuit(), great: new ServerCircuit(), lateAfter: -1 };
    this.#shares.set(key, share);
    return share;
  }
}

function isLate(error: unknown): boolean {
  return error instanceof RerankError && error.reason === 'timeout';
}
