import { Text } from '@mantine/core';
import { Confirmation, type Doing } from './confirmation.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import type { SecretTexts } from './secret-field.tsx';

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
export function NewSecretDialog({ texts, secret, isOpen, ...asking }: NewSecretDialogProps) {
  const { title, explanation, action } = texts;
  const { doing, onClose } = asking;
  return (
    <SecretDialog
      title={title}
      texts={texts.secret}
      secret={secret}
      isWaiting={doing.isPending}
      isOpen={isOpen}
      onClose={onClose}
      centered
    >
      <Confirmation action={action} awaitsAnswer {...asking}>
        <Text size="sm">{explanation}</Text>
      </Confirmation>
    </SecretDialog>
  );
}
