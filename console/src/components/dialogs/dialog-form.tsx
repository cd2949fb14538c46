import { type FormEvent, type ReactNode, useId } from 'react';
import { Button, Group, Stack, Text } from '@mantine/core';
import { ErrorNotice } from '../error-notice.tsx';
import { shellTexts } from '../../texts/shell-texts.ts';

export type DialogFormProps = {
  /** The words of the button that sends it. */
  submit: string;
  saving: { error: Error | null; isPending: boolean };
  /** What is to be done before it can be sent, where the browser does not know; null when nothing is missing. */
  missing?: string | null;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  onClose: () => void;
  children: ReactNode;
};

/** The fields of a dialog, with its buttons, and why sending them failed. */
export function DialogForm({ submit, saving, missing = null, onSubmit, onClose, children }: DialogFormProps) {
  const hintId = useId();
  return (
    <form onSubmit={onSubmit}>
      <Stack>
        {children}
        {saving.error === null ? null : <ErrorNotice error={saving.error} />}
        <Group justify="flex-end">
          <Text id={hintId} size="sm" c="dimmed" role="status" mr="auto">
            {missing}
          </Text>
          <Button variant="default" onClick={onClose} disabled={saving.isPending}>
            {shellTexts.cancel}
          </Button>
          <Button type="submit" loading={saving.isPending} disabled={missing !== null} aria-describedby={hintId}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
