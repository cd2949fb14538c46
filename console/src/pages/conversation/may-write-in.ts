import type { Schemas } from '../../api/schemas.ts';
import type { Session } from '../../app/session.tsx';

/** Whether the caller may add messages to a conversation. With a token, only its owner may. */
export function mayWriteIn({ may, access }: Session, { status, owner_id: owner }: Schemas['Conversation']): boolean {
  const isOwn = access.user_id === null || access.user_id === owner;
  return isOwn && status === 'active' && may('messages:write');
}
