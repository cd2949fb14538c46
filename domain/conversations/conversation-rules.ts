/** Rules of conversations. Imported by workflows: no zod, no I/O. */

export const CONVERSATION_STATUSES = ['active', 'ended', 'archived'] as const;
export type ConversationStatus = (typeof CONVERSATION_STATUSES)[number];

/** A conversation goes one way: it is active, then ended, then archived; archiving ends it, too. */
export function statusAfter(status: ConversationStatus, action: 'end' | 'archive'): ConversationStatus | null {
  if (action === 'archive') return 'archived';
  // Null: there is no way back.
  return status === 'archived' ? null : 'ended';
}

/** Messages before the first summary; of fewer there is nothing to be summarised. */
const FIRST_SUMMARY = 2;
/** A new summary when there is this much more than the last one was asked for, as a share of it. */
const GROWTH = 0.25;

/** True when a conversation has grown so much that its summary should be written anew. The longer it is, the rarer. */
export function isSummaryDue(messages: number, asked: number): boolean {
  return messages - asked >= Math.max(FIRST_SUMMARY, Math.floor(asked * GROWTH));
}
