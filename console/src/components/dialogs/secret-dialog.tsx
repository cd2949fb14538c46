import type { ReactNode } from 'react';
import type { ModalProps } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { SECRET_REQUEST } from '../../api/query-keys.ts';
import { Dialog } from './dialog.tsx';
import { SecretField, type SecretTexts } from './secret-field.tsx';

export type SecretDialogProps = Pick<ModalProps, 'size' | 'centered'> & {
  title: string;
  texts: SecretTexts & { title: string };
  /** What cannot be read again, once it is there. */
  secret: string | null;
  /** True while the request is under way whose answer has the secret. */
  isWaiting: boolean;
  isOpen: boolean;
  onClose: () => void;
  /** What asks for the secret. */
  children: ReactNode;
};

/**
 * A dialog that ends with a secret that is shown once. It stays open from the request to the button that says that the secret was
 * copied: what is closed before has a secret that nobody knows.
 */
export function SecretDialog(props: SecretDialogProps) {
  const { title, texts, secret, isWaiting, isOpen, onClose, children, ...look } = props;
  const isHeld = isWaiting || secret !== null;
  const requests = useQueryClient().getMutationCache();
  /** Escape, pressed right after the button, comes before the dialog shows that the request is under way, or what it returned. */
  const closeUnlessRequested = () => {
    const sent = requests.findAll({ mutationKey: SECRET_REQUEST });
    if (!sent.some(({ state }) => state.status === 'pending' || state.status === 'success')) onClose();
  };
  return (
    <Dialog
      {...look}
      opened={isOpen}
      onClose={closeUnlessRequested}
      title={secret === null ? title : texts.title}
      closeOnClickOutside={false}
      closeOnEscape={!isHeld}
      withCloseButton={!isHeld}
    >
      {secret === null ? children : <SecretField secret={secret} texts={texts} onClose={onClose} />}
    </Dialog>
  );
}
