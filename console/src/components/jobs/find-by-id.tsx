import { type FormEvent, useState } from 'react';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { jobsTexts } from '../../texts/jobs-texts.ts';

export type FindByIdProps = {
  label: string;
  explanation: string;
  value: string | undefined;
  onFind: (id: string | undefined) => void;
};

/** Finds a record of which there is no list, by its id. */
export function FindById({ label, explanation, value, onFind }: FindByIdProps) {
  const [id, setId] = useState(value ?? '');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onFind(id.trim() === '' ? undefined : id.trim());
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs" maw={560}>
        <Text size="sm" c="dimmed">
          {explanation}
        </Text>
        <Group align="flex-end" gap="sm" wrap="nowrap">
          <TextInput
            flex={1}
            label={label}
            value={id}
            onChange={(event) => setId(event.currentTarget.value)}
            required
            withAsterisk={false}
            spellCheck={false}
          />
          <Button type="submit">{jobsTexts.find}</Button>
        </Group>
      </Stack>
    </form>
  );
}
