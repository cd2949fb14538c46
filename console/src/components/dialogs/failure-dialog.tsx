import { useEffect, useState } from 'react';
import { Modal } from '@mantine/core';
import { shellTexts } from '../../texts/shell-texts.ts';
import { ErrorNotice } from '../error-notice.tsx';

/** Says why something failed that was done without a dialog. */
export function FailureDialog({ error, onClose }: { error: Error | null; onClose: () => void }) {
  const [isMounted, setMounted] = useState(false);
  useEffect(() => {
    if (error !== null) setMounted(true);
  }, [error]);
  // Every row of a list has one, and closed dialogs take longer to draw than the rows.
  if (error === null && !isMounted) return null;
  // It opens after it is there: only then does it know where the focus was.
  return (
    <Modal opened={error !== null && isMounted} onClose={onClose} title={shellTexts.error.title} centered>
      {error === null ? null : <ErrorNotice error={error} />}
    </Modal>
  );
}
