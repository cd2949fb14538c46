/** Statuses of a conversation. It only moves forward, and archiving also ends it. */
export const CONVERSATION_STATUSES = ['active', 'ended', 'archived'] as const;
export type ConversationStatus = (typeof CONVERSATION_STATUSES)[number];

/** Returns the status after an action, or null when the action is not allowed: an archived conversation cannot be ended. */
export function nextConversationStatus(
  status: ConversationStatus,
  action: 'end' | 'archive',
): ConversationStatus | null {
  if (action === 'archive') return 'archived';
  return status === 'archived' ? null : 'ended';
}
