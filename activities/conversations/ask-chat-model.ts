import { AppError } from '#domain/app-error.ts';
import type { ChatQuestion } from '#domain/chat-model.ts';
import { MAX_MEMORY_CHARACTERS } from '#domain/records/memory.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { Services } from '#operations/services.ts';

/**
 * Attempts of an activity before it continues without the chat model: the model may be too slow for this particular text. With
 * the pauses between retries, these attempts take two hours at least.
 */
const MAX_MODEL_ATTEMPTS = 240;

/** `attempt`: the attempt of the activity, from 1. */
export type AttemptContext = { attempt: number; signal?: AbortSignal };
export type ModelAccess = { services: Services; scope: Scope; context: AttemptContext };

/**
 * Returns the answer of the chat model; null when none is configured, when it rejects the question, or after
 * `MAX_MODEL_ATTEMPTS`.
 * @throws AppError of the model for earlier attempts, so that Temporal retries the activity.
 */
export async function askChatModel(
  { services, scope, context }: ModelAccess,
  question: ChatQuestion,
): Promise<string | null> {
  if (services.chat === null) return null;
  try {
    return await services.chat.complete(question, context.signal);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code !== 'invalid_request' && context.attempt < MAX_MODEL_ATTEMPTS) throw error;
    services.log.warn(
      { error, workspace_id: scope.workspaceId, attempt: context.attempt },
      'continuing without the chat model',
    );
    return null;
  }
}

/** Returns text that Postgres can store and that fits into a memory: trimmed, shortened, without NUL or lone surrogates. */
export function toStorableText(text: string): string {
  return text.replaceAll('\0', '').trim().slice(0, MAX_MEMORY_CHARACTERS).toWellFormed();
}
