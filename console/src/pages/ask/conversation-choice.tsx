import { Select } from '@mantine/core';
import { useSession } from '../../app/session.tsx';
import { formatTime } from '../../format/format-time.ts';
import type { Schemas } from '../../api/schemas.ts';
import { askTexts } from '../../texts/ask-texts.ts';
import { useConversation, useConversations } from '../conversations/use-conversations.ts';
import { NEW_CONVERSATION } from './ask-choice.ts';

const texts = askTexts.conversation;
/** Stands for no conversation. */
const ALONE = 'alone';

export type ConversationChoiceProps = {
  /** The id of a conversation, or `NEW_CONVERSATION`. */
  value: string | undefined;
  onChange: (conversation: string | undefined) => void;
};

/** Chooses the conversation that a question continues, for those who may read and write messages. */
export function ConversationChoice(props: ConversationChoiceProps) {
  const { may } = useSession();
  return may('conversations:read', 'messages:read', 'messages:write') ? <Choice {...props} /> : null;
}

function Choice({ value, onChange }: ConversationChoiceProps) {
  const { may, access } = useSession();
  const { data: listed = [] } = useConversations({ status: 'active' });
  const chosen = useConversation(value === NEW_CONVERSATION ? undefined : value);
  // With a token, only the owner may continue a conversation.
  const own = listed.filter(({ owner_id: owner }) => access.user_id === null || access.user_id === owner);
  const isListed = own.some(({ id }) => id === value);
  const others = chosen.data === undefined || isListed ? [] : [chosen.data];
  const options = [...others, ...own].map((one) => ({ value: one.id, label: nameOf(one) }));
  const isUnknown = value !== undefined && value !== NEW_CONVERSATION && !options.some((one) => one.value === value);
  return (
    <Select
      label={texts.label}
      description={texts.help}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      data={[
        { value: ALONE, label: texts.alone },
        ...(may('conversations:write') ? [{ value: NEW_CONVERSATION, label: texts.fresh }] : []),
        { group: texts.recent, items: isUnknown ? [{ value, label: value }, ...options] : options },
      ]}
      value={value ?? ALONE}
      onChange={(one) => onChange(one === ALONE || one === null ? undefined : one)}
      nothingFoundMessage={texts.none}
      error={chosen.error === null ? null : chosen.error.message}
      allowDeselect={false}
      searchable
      comboboxProps={{ withinPortal: true }}
    />
  );
}

function nameOf({ title, created_at: createdAt }: Schemas['Conversation']): string {
  return title || texts.untitled(formatTime(new Date(createdAt)));
}
