import { AppError } from '#domain/app-error.ts';
import type { ChatQuestion } from '#domain/chat-model.ts';
import { MAX_MEMORY_CHARACTERS } from '#domain/records/memory.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { Services } from '#operations/services.ts';

/**
 * Failures of the chat model before an activity continues without it: the model may be too slow for this particular text. Those
 * without a call, while the model is known to be away, count as well. With the pauses between retries, they take hours.
 */
const MAX_MODEL_FAILURES = 240;

/** `countFailure` counts a failure of the chat model, and returns how many there have been for this text. */
export type ModelContext = { signal?: AbortSignal; countFailure: () => Promise<number> };
export type ModelAccess = { services: Services; scope: Scope; context: ModelContext };

/**
 * Returns the answer of the chat model; null when none is configured, when it rejects the question, or after
 * `MAX_MODEL_FAILURES`.
 * @throws AppError of the model for earlier failures, so that Temporal retries the activity.
 */
export async function askChatModel(
  { services, scope, context }: ModelAccess,
  question: ChatQuestion,
): Promise<string | null> {
  const { chat, chatCircuits } = services;
  if (chat === null) return null;
  const { signal } = context;
  // Questions of a kind have the same instructions.
  const asking = { share: scope.workspaceId, kind: question.instructions, signal };
  try {
    return await chatCircuits.run(() => chat.complete(question, signal), asking);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code !== 'invalid_request' && (await context.countFailure()) < MAX_MODEL_FAILURES) throw error;
    services.log.warn({ error, workspace_id: scope.workspaceId }, 'continuing without the chat model');
    return null;
  }
}

/** Returns text that Postgres can store and that fits into a memory: trimmed, shortened, without NUL or lone surrogates. */
export function toStorableText(text: string): string {
  return text.replaceAll('\0', '').trim().slice(0, MAX_MEMORY_CHARACTERS).toWellFormed();
}
