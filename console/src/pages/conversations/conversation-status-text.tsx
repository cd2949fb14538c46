import { StatusText } from '../../components/status-text.tsx';
import { conversationsTexts } from '../../texts/conversations-texts.ts';
import type { ConversationStatus } from './conversation-filter.ts';

/** Whether a conversation takes messages. */
export function ConversationStatusText({ status }: { status: ConversationStatus }) {
  return <StatusText mark={status === 'active' ? 'good' : 'idle'} text={conversationsTexts.status[status]} />;
}
