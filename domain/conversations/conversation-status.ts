/** Rules of conversations. Imported by workflows: no zod, no I/O. */

export const CONVERSATION_STATUSES = ['active', 'ended', 'archived'] as const;
export type ConversationStatus = (typeof CONVERSATION_STATUSES)[number];

/** A conversation goes one way: it is active, then ended, then archived; archiving ends it, too. */
export function nextConversationStatus(
  status: ConversationStatus,
  action: 'end' | 'archive',
): ConversationStatus | null {
  if (action === 'archive') return 'archived';
  // Null: there is no way back.
  return status === 'archived' ? null : 'ended';
}
