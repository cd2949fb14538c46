import { ShareCircuits } from '#providers/embedders/share-circuits.ts';
import { RerankError } from './rerank-error.ts';

/** `isGreat`: more passages than usual. */
export type RerankCaller = { share: string; isGreat: boolean };

/**
 * Keeps a process from asking a model in vain. Whether a search is late depends on its depth and its texts, so a late one counts for its
 * own workspace, and one with a great depth never for the model.
 */
export class RerankCircuits {
  readonly #circuits = new ShareCircuits(isLate);

  /**
   * Asks the model.
   * @throws AppError `dependency_unavailable` without asking it, after failures.
   */
  run<T>(call: () => Promise<T>, { share, isGreat }: RerankCaller): Promise<T> {
    return this.#circuits.run(call, { share, kind: isGreat ? 'great' : 'usual', isUsual: !isGreat });
  }
}

function isLate(error: unknown): boolean {
  return error instanceof RerankError && error.reason === 'timeout';
}
