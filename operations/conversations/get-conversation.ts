import type { Caller } from '#domain/access/caller.ts';
import type { Conversation } from '#domain/records/conversation.ts';
import { requireReadableConversation } from './require-conversation.ts';
import type { Services } from '#operations/services.ts';
import type { ConversationRow } from '#store/conversations/conversations.ts';

/** Returns a conversation. @throws AppError `not_found`, also when the caller may not read it. */
export async function getConversation(services: Services, caller: Caller, id: string): Promise<Conversation> {
  return toConversation(await requireReadableConversation(services.stores, caller, id));
}

/** Converts a row to the API representation. */
export function toConversation(row: ConversationRow): Conversation {
  const { message_count: _count, summary_asked: _asked, summary_seq: _seq, ...rest } = row;
  return {
    ...rest,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
  };
}
