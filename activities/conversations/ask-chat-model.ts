import { AppError } from '#domain/app-error.ts';
import type { ChatQuestion } from '#domain/chat-model.ts';
import { MAX_MEMORY_CHARACTERS } from '#domain/records/memory.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { Services } from '#operations/services.ts';

/**
 * Then it goes on without the chat model where that gives no answer: it may be this very text that a model is too slow for. With
 * the pauses in between these are two hours at least.
 */
const MAX_MODEL_ATTEMPTS = 240;

/** What a step of ours knows of its surroundings: `attempt` begins with 1. */
export type Attempt = { attempt: number; signal?: AbortSignal };

export type ModelRequest = { services: Services; scope: Scope; by: Attempt };

/** The model's answer; null without a model, where it refuses the question, or where it was asked in vain for long. */
export async function askChatModel(
  { services, scope, by }: ModelRequest,
  question: ChatQuestion,
): Promise<string | null> {
  if (services.chat === null) return null;
  try {
    return await services.chat.complete(question, by.signal);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code !== 'invalid_request' && by.attempt < MAX_MODEL_ATTEMPTS) throw error;
    services.log.warn(
      { error, workspace_id: scope.workspaceId, attempt: by.attempt },
      'it goes on without the chat model',
    );
    return null;
  }
}

/** As Postgres and a memory can hold it. */
export function toStorableText(text: string): string {
  return text.replaceAll('\0', '').trim().slice(0, MAX_MEMORY_CHARACTERS).toWellFormed();
}
