import { APICallError } from 'ai';
import { AppError } from '#domain/app-error.ts';
import { ShareCircuits } from '#providers/embedders/share-circuits.ts';

/** `share`: a workspace id. `kind`: failures that come from questions of one kind do not stop those of another. */
export type ChatCaller = { share: string; kind: string; signal?: AbortSignal | undefined };

/**
 * Keeps background work from asking a chat model in vain. An answer that takes too long may be due to the length of the question, and
 * some servers answer 500 to questions that they cannot process: these count for their own workspace.
 */
export class ChatCircuits {
  readonly #circuits = new ShareCircuits(mayComeFromQuestion);

  /**
   * Asks the model.
   * @throws AppError `dependency_unavailable` with `retryDelayS` without asking it, after failures.
   */
  run<T>(call: () => Promise<T>, { share, kind, signal }: ChatCaller): Promise<T> {
    return this.#circuits.run(call, { share, kind, isUsual: true, ...(signal ? { signal } : {}) });
  }
}

function mayComeFromQuestion(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  const { cause } = error;
  if (APICallError.isInstance(cause)) return cause.statusCode === 500;
  return cause instanceof Error && cause.name === 'TimeoutError';
}
