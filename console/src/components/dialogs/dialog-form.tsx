import type { FormEvent, ReactNode } from 'react';
import { Button, Group, Stack } from '@mantine/core';
import { ErrorNotice } from '../error-notice.tsx';
import { shellTexts } from '../../texts/shell-texts.ts';

export type DialogFormProps = {
  /** The words of the button that sends it. */
  submit: string;
  saving: { error: Error | null; isPending: boolean };
  /** False while a field that the browser does not know is missing. */
  isComplete?: boolean;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  onClose: () => void;
  children: ReactNode;
};

/** The fields of a dialog, with its buttons, and why sending them failed. */
export function DialogForm({ submit, saving, isComplete = true, onSubmit, onClose, children }: DialogFormProps) {
  return (
    <form onSubmit={onSubmit}>
      <Stack>
        {children}
        {saving.error === null ? null : <ErrorNotice error={saving.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} disabled={saving.isPending}>
            {shellTexts.cancel}
          </Button>
          <Button type="submit" loading={saving.isPending} disabled={!isComplete}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
