import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { CopyButton } from '../copy-button.tsx';

export type SecretTexts = { explanation: string; field: string; copy: string; done: string };

export type SecretFieldProps = { secret: string; texts: SecretTexts; onClose: () => void };

/** Shows a secret that cannot be read again. */
export function SecretField({ secret, texts, onClose }: SecretFieldProps) {
  return (
    <Stack>
      <Text size="sm">{texts.explanation}</Text>
      <Textarea
        label={texts.field}
        value={secret}
        readOnly
        spellCheck={false}
        autosize
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', wordBreak: 'break-all' } }}
        onFocus={(event) => event.currentTarget.select()}
        rightSection={<CopyButton text={secret} label={texts.copy} />}
        data-autofocus
      />
      <Group justify="flex-end">
        <Button onClick={onClose}>{texts.done}</Button>
      </Group>
    </Stack>
  );
}
