import { Modal, Text } from '@mantine/core';
import { ConfirmDialog, type Doing } from './confirm-dialog.tsx';
import { SecretField, type SecretTexts } from './secret-field.tsx';

export type NewSecretDialogProps = {
  texts: { title: string; explanation: string; action: string; secret: SecretTexts & { title: string } };
  /** The new secret, once there is one. */
  secret: string | null;
  isOpen: boolean;
  doing: Doing;
  onConfirm: () => void;
  onClose: () => void;
};

/** Asks whether something is to get a new secret, and shows it, once. */
export function NewSecretDialog({ texts, secret, ...dialog }: NewSecretDialogProps) {
  const { isOpen, onClose } = dialog;
  if (secret === null) {
    return (
      <ConfirmDialog title={texts.title} action={texts.action} {...dialog}>
        <Text size="sm">{texts.explanation}</Text>
      </ConfirmDialog>
    );
  }
  return (
    <Modal opened={isOpen} onClose={onClose} title={texts.secret.title} closeOnClickOutside={false} centered>
      <SecretField secret={secret} texts={texts.secret} onClose={onClose} />
    </Modal>
  );
}
