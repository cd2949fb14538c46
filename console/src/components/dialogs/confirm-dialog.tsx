import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { Confirmation, type ConfirmationProps } from './confirmation.tsx';

export type ConfirmDialogProps = ConfirmationProps & {
  title: string;
  isOpen: boolean;
  /** What will happen. */
  children: ReactNode;
};

/** Asks before something is done, and says why it failed. */
export function ConfirmDialog({ title, isOpen, ...confirmation }: ConfirmDialogProps) {
  return (
    <Dialog opened={isOpen} onClose={confirmation.onClose} title={title} closeOnClickOutside={false} centered>
      <Confirmation {...confirmation} />
    </Dialog>
  );
}
