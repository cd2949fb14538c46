import { shellTexts } from '../../texts/shell-texts.ts';
import { ErrorNotice } from '../error-notice.tsx';
import { Dialog } from './dialog.tsx';

/** Says why something failed that was done without a dialog. */
export function FailureDialog({ error, onClose }: { error: Error | null; onClose: () => void }) {
  // Every row of a list has one, and closed dialogs take longer to draw than the rows.
  if (error === null) return null;
  return (
    <Dialog opened onClose={onClose} title={shellTexts.error.title} centered>
      <ErrorNotice error={error} />
    </Dialog>
  );
}
