import { useState } from 'react';
import { ActionIcon, Menu, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { conversationsTexts } from '../../texts/conversations-texts.ts';
import { RenameDialog } from './rename-dialog.tsx';
import { type ConversationAction, useConversationAction } from './use-conversations.ts';

const texts = conversationsTexts;
const DANGEROUS = { c: 'var(--mantine-color-error)' };
const CONFIRMED = ['end', 'archive', 'remove'] as const;
const WORDS = { end: texts.ending, archive: texts.archiving, remove: texts.removing };

type Action = ConversationAction | 'change';

export type ConversationMenuProps = {
  conversation: Schemas['Conversation'];
  /** What happens on a page that shows it, once it is deleted. */
  onRemoved?: () => void;
};

/** What can be done with a conversation. With a token, only its owner may change it. */
export function ConversationMenu({ conversation, onRemoved }: ConversationMenuProps) {
  const [action, setAction] = useState<Action | null>(null);
  const actions = usePermittedActions(conversation);
  const close = () => setAction(null);
  const title = conversation.title || texts.untitled;
  if (actions.length === 0) return null;
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={texts.actions(title)}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {actions.map((one) => (
            <Menu.Item key={one} {...(one === 'remove' ? DANGEROUS : {})} onClick={() => setAction(one)}>
              {texts[one]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <RenameDialog conversation={conversation} isOpen={action === 'change'} onClose={close} />
      {CONFIRMED.map((one) => (
        <ActionDialog
          key={one}
          action={one}
          conversation={{ id: conversation.id, title }}
          isOpen={action === one}
          onClose={close}
          onDone={one === 'remove' ? onRemoved : undefined}
        />
      ))}
    </>
  );
}

function usePermittedActions({ status, owner_id: owner }: Schemas['Conversation']): Action[] {
  const { may, access } = useSession();
  if (access.user_id !== null && access.user_id !== owner) return [];
  const changes: Action[] = status === 'active' ? ['change', 'end', 'archive'] : ['change', 'archive'];
  return [
    ...(status !== 'archived' && may('conversations:write') ? changes : []),
    ...(may('conversations:delete') ? (['remove'] as const) : []),
  ];
}

type ActionDialogProps = {
  action: ConversationAction;
  conversation: { id: string; title: string };
  isOpen: boolean;
  onClose: () => void;
  onDone: (() => void) | undefined;
};

function ActionDialog({ action, conversation: { id, title }, isOpen, onClose, onDone }: ActionDialogProps) {
  const doing = useConversationAction();
  const close = () => {
    doing.reset();
    onClose();
  };
  const finish = () => {
    onClose();
    onDone?.();
  };
  return (
    <ConfirmDialog
      title={WORDS[action].title(title)}
      action={texts[action]}
      isFinal={action === 'remove'}
      isOpen={isOpen}
      doing={doing}
      onConfirm={() => doing.mutate({ id, action }, { onSuccess: finish })}
      onClose={close}
    >
      <Text size="sm">{WORDS[action].explanation}</Text>
    </ConfirmDialog>
  );
}
