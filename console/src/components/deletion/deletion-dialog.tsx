import { useState } from 'react';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { Dialog } from '../dialogs/dialog.tsx';
import { deletionTexts as texts } from '../../texts/deletion-texts.ts';
import { shellTexts } from '../../texts/shell-texts.ts';
import { DeletionReceipt } from './deletion-receipt.tsx';
import { ErrorNotice } from '../error-notice.tsx';

export type DeletionDialogProps = {
  title: string;
  /** What is removed, and that it is for good. */
  explanation: string;
  /** Has to be typed first, where much would be lost. */
  confirmedBy?: string;
  deletion: { data: { deletion_id: string } | undefined; error: Error | null; isPending: boolean; mutate: () => void };
  onClose: () => void;
};

/** Asks, deletes, and then shows the receipt: what was removed, and that nothing is left. */
export function DeletionDialog({ title, deletion, onClose, ...question }: DeletionDialogProps) {
  return (
    <Dialog opened onClose={onClose} title={deletion.data === undefined ? title : texts.receipt} centered>
      {deletion.data === undefined ? (
        <Question {...question} deletion={deletion} onClose={onClose} />
      ) : (
        <Stack>
          <DeletionReceipt deletionId={deletion.data.deletion_id} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {shellTexts.close}
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}

function Question({ explanation, confirmedBy, deletion, onClose }: Omit<DeletionDialogProps, 'title'>) {
  const [typed, setTyped] = useState('');
  return (
    <Stack>
      <Text size="sm" className="break-anywhere">
        {explanation}
      </Text>
      {confirmedBy === undefined ? null : (
        <TextInput
          label={texts.confirm(confirmedBy)}
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          data-autofocus
        />
      )}
      {deletion.error === null ? null : <ErrorNotice error={deletion.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus={confirmedBy === undefined}>
          {shellTexts.cancel}
        </Button>
        <Button
          color="red.9"
          loading={deletion.isPending}
          disabled={confirmedBy !== undefined && asSeen(typed) !== asSeen(confirmedBy)}
          onClick={deletion.mutate}
        >
          {texts.submit}
        </Button>
      </Group>
    </Stack>
  );
}

/** Names are shown with one space where they have several, and nobody sees of what an accented letter is made. */
function asSeen(text: string): string {
  return text.normalize('NFC').replaceAll(/\s+/g, ' ').trim();
}
