import { useState } from 'react';
import { ActionIcon, Menu, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { memoriesTexts } from '../../texts/memories-texts.ts';
import { MemoryDialog } from './memory-dialog.tsx';
import { HistoryDialog } from './history-dialog.tsx';
import { useDeleteMemory } from './use-memories.ts';

const texts = memoriesTexts;
/** Characters of a memory that its menu is called by. */
const NAME_CHARACTERS = 40;

export type MemoryMenuProps = { memory: Schemas['MemoryRecord']; isPast: boolean };

/** What can be done with a memory. What is shown of the past can only be looked at. */
export function MemoryMenu({ memory, isPast }: MemoryMenuProps) {
  const { may } = useSession();
  const [action, setAction] = useState<'change' | 'history' | 'remove' | null>(null);
  const close = () => setAction(null);
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={texts.actions(memory.memory.slice(0, NAME_CHARACTERS))}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {may('memories:write') && !isPast ? (
            <Menu.Item onClick={() => setAction('change')}>{texts.change}</Menu.Item>
          ) : null}
          <Menu.Item onClick={() => setAction('history')}>{texts.history}</Menu.Item>
          {may('memories:delete') && !isPast ? (
            <Menu.Item c="var(--mantine-color-error)" onClick={() => setAction('remove')}>
              {texts.remove}
            </Menu.Item>
          ) : null}
        </Menu.Dropdown>
      </Menu>
      <MemoryDialog memory={memory} isOpen={action === 'change'} onClose={close} />
      <HistoryDialog memory={memory} isOpen={action === 'history'} onClose={close} />
      <DeleteDialog memory={memory} isOpen={action === 'remove'} onClose={close} />
    </>
  );
}

type DeleteDialogProps = { memory: Schemas['MemoryRecord']; isOpen: boolean; onClose: () => void };

function DeleteDialog({ memory, isOpen, onClose }: DeleteDialogProps) {
  const deleting = useDeleteMemory();
  return (
    <ConfirmDialog
      title={texts.removing.title}
      action={texts.remove}
      isFinal
      isOpen={isOpen}
      doing={deleting}
      onConfirm={() => deleting.mutate(memory.memory_id, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Text size="sm" lineClamp={6} className="break-anywhere" style={{ whiteSpace: 'pre-wrap' }}>
        {memory.memory}
      </Text>
      <Text size="sm" c="dimmed">
        {texts.removing.explanation}
      </Text>
    </ConfirmDialog>
  );
}
