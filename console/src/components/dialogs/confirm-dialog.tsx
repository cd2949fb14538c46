import type { ReactNode } from 'react';
import { Button, Group, Modal, Stack } from '@mantine/core';
import { shellTexts } from '../../texts/shell-texts.ts';
import { ErrorNotice } from '../error-notice.tsx';

/** What is being done, such as a mutation of TanStack Query. */
export type Doing = { error: Error | null; isPending: boolean };

export type ConfirmDialogProps = {
  title: string;
  /** The words of the button that does it. */
  action: string;
  /** True when it cannot be undone. */
  isFinal?: boolean;
  isOpen: boolean;
  doing: Doing;
  onConfirm: () => void;
  onClose: () => void;
  /** What will happen. */
  children: ReactNode;
};

/** Asks before something is done, and says why it failed. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, action, isFinal = false, isOpen, doing, onConfirm, onClose, children } = props;
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} closeOnClickOutside={false} centered>
      <Stack>
        {children}
        {doing.error === null ? null : <ErrorNotice error={doing.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {shellTexts.cancel}
          </Button>
          <Button {...(isFinal ? { color: 'red' } : {})} loading={doing.isPending} onClick={onConfirm}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
