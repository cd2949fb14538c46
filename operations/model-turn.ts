import { AppError } from '#domain/app-error.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { Services } from '#operations/services.ts';

/** How long a request waits for its turn while the model works for many others. */
const MAX_WAIT_MS = 30_000;

/**
 * Waits until it is the turn of the workspace to ask the chat model: a few requests are at the model at the same time, and a
 * workspace that asks much leaves room for others. The turn ends when it is disposed of.
 * @throws the reason of `signal`; AppError `dependency_unavailable` when the turn does not come.
 */
export async function takeModelTurn(
  services: Pick<Services, 'answerSlots'>,
  { workspaceId }: Scope,
  signal?: AbortSignal,
): Promise<Disposable> {
  const late = AbortSignal.timeout(MAX_WAIT_MS);
  const patience = signal === undefined ? late : AbortSignal.any([signal, late]);
  try {
    return await services.answerSlots.hold({ share: workspaceId, lane: 'express', signal: patience });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new AppError('dependency_unavailable', 'The chat model is busy with other requests. Try again.', {
      cause: error,
      retryAfterS: 5,
    });
  }
}
