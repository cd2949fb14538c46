import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { CopyButton } from '../../components/copy-button.tsx';
import { keysTexts } from '../../texts/keys-texts.ts';

const texts = keysTexts.secret;

/** Shows a secret that cannot be read again. */
export function SecretField({ secret, onClose }: { secret: string; onClose: () => void }) {
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
