import { AppError } from '#domain/app-error.ts';
import { requirePermission, type Caller } from '#domain/access/caller.ts';
import type { Turn } from '#domain/answers/answer-prompt.ts';
import { HISTORY_LIMITS } from '#domain/answers/read-chat.ts';
import { recentTexts } from '#domain/conversations/recent-texts.ts';
import { requireReadableConversation } from '#operations/conversations/require-conversation.ts';
import type { Services } from '#operations/services.ts';

/** A token has three characters at most. */
const MAX_CHARACTERS = 3 * HISTORY_LIMITS.tokens;

/** @throws AppError `forbidden` unless the caller may read messages and add some. */
export function requireTurnPermissions(caller: Caller): void {
  requirePermission(caller, 'messages:read');
  requirePermission(caller, 'messages:write');
}

/**
 * Returns the last messages of a conversation, oldest first, if the caller may read it and add to it.
 * @throws AppError `forbidden`, `not_found`, or `conflict` for a conversation that is not active: before a model is asked.
 */
export async function readConversationTurns(
  services: Services,
  caller: Caller,
  conversationId: string,
): Promise<Turn[]> {
  requireTurnPermissions(caller);
  const conversation = await requireReadableConversation(services.stores, caller, conversationId);
  if (caller.userId !== null && conversation.owner_id !== caller.userId) {
    throw new AppError('forbidden', 'Only the owner of a conversation may continue it.');
  }
  if (conversation.status !== 'active')
    throw new AppError('conflict', `The conversation is ${conversation.status}. Continue in another one.`);
  const upTo = { seq: conversation.message_count, messages: HISTORY_LIMITS.count, characters: MAX_CHARACTERS };
  return recentTexts(
    await services.stores.messages.listRecentTexts(caller.scope, conversationId, upTo),
    HISTORY_LIMITS,
  );
}
