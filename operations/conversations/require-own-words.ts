import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { NewMessage } from '#domain/records/message.ts';

/** Roles of messages that instruct a model. */
const INSTRUCTING_ROLES: ReadonlySet<string> = new Set(['system', 'developer']);

/**
 * Returns the messages with the sender filled in. A user writes as themselves: what they say has their id as `sender_id`, and they
 * give no instructions to the models that will read the conversation. An API key acts for the application, which may write
 * for everybody.
 * @throws AppError `forbidden`.
 */
export function requireOwnWords(caller: Caller, messages: readonly NewMessage[]): NewMessage[] {
  const { userId } = caller;
  if (userId === null) return [...messages];
  return messages.map((message) => {
    const { role, sender_id: senderId } = message;
    if (INSTRUCTING_ROLES.has(role.toLowerCase())) {
      throw new AppError('forbidden', `Messages of the role ${role.toLowerCase()} are written with an API key.`);
    }
    if (role !== 'user') return message;
    if (senderId !== null && senderId !== userId) {
      const problem = 'With the token of a user, sender_id of a message of role user is that user. Omit it.';
      throw new AppError('forbidden', problem);
    }
    return { ...message, sender_id: userId };
  });
}
