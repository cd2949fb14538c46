import type { ReactNode } from 'react';
import { Button, Group, Stack } from '@mantine/core';
import { shellTexts } from '../../texts/shell-texts.ts';
import { ErrorNotice } from '../error-notice.tsx';

/** What is being done, such as a mutation of TanStack Query. */
export type Doing = { error: Error | null; isPending: boolean };

export type ConfirmationProps = {
  /** The words of the button that does it. */
  action: string;
  /** True when it cannot be undone. */
  isFinal?: boolean;
  /** True when the dialog must stay open until the answer is there. */
  awaitsAnswer?: boolean;
  doing: Doing;
  onConfirm: () => void;
  onClose: () => void;
  /** What will happen. */
  children: ReactNode;
};

/** The question of a dialog, with its buttons, and why what it asks failed. */
export function Confirmation(props: ConfirmationProps) {
  const { action, isFinal = false, awaitsAnswer = false, doing, onConfirm, onClose, children } = props;
  return (
    <Stack>
      {children}
      {doing.error === null ? null : <ErrorNotice error={doing.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} disabled={awaitsAnswer && doing.isPending} data-autofocus>
          {shellTexts.cancel}
        </Button>
        <Button {...(isFinal ? { color: 'red' } : {})} loading={doing.isPending} onClick={onConfirm}>
          {action}
        </Button>
      </Group>
    </Stack>
  );
}
