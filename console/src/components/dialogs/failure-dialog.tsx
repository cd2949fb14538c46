import { Modal } from '@mantine/core';
import { shellTexts } from '../../texts/shell-texts.ts';
import { ErrorNotice } from '../error-notice.tsx';

/** Says why something failed that was done without a dialog. */
export function FailureDialog({ error, onClose }: { error: Error | null; onClose: () => void }) {
  return (
    <Modal opened={error !== null} onClose={onClose} title={shellTexts.error.title} centered>
      {error === null ? null : <ErrorNotice error={error} />}
    </Modal>
  );
}
