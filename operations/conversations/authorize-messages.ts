import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { NewMessage } from '#domain/records/message.ts';

/** Roles of messages that instruct a model. */
const INSTRUCTING_ROLES: ReadonlySet<string> = new Set(['system', 'developer']);

const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Returns the messages with the default sender. With the token of a user, messages of role `user` are sent by that user, and roles
 * that instruct a model are refused. An API key acts for the application and may send any message for any user.
 * @throws AppError `forbidden`.
 */
export function authorizeMessages(caller: Caller, messages: readonly NewMessage[]): NewMessage[] {
  const { userId } = caller;
  if (userId === null) return [...messages];
  return messages.map((message) => {
    const { sender_id: senderId } = message;
    const role = comparableRole(message.role);
    if (INSTRUCTING_ROLES.has(role)) {
      const problem = `The token of a user cannot send messages of role ${role}. Use an API key, or another role.`;
      throw new AppError('forbidden', problem);
    }
    if (role !== 'user') return message;
    if (senderId !== null && senderId !== userId) {
      const problem = 'With the token of a user, sender_id of a message of role user is that user. Omit it.';
      throw new AppError('forbidden', problem);
    }
    return { ...message, sender_id: userId };
  });
}

/** A role as models and people read it: in lower case, without spaces around it, invisible characters, and other forms of letters. */
function comparableRole(role: string): string {
  return role.normalize('NFKC').replace(INVISIBLE, '').trim().toLowerCase();
}
