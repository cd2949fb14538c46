import { Group, Loader, Text } from '@mantine/core';

const COLOURS = {
  good: 'var(--mantine-color-teal-6)',
  bad: 'var(--mantine-color-error)',
  waiting: 'var(--mantine-color-yellow-6)',
  idle: 'var(--mantine-color-gray-5)',
} as const;

/** `working` turns. */
export type StatusMark = keyof typeof COLOURS | 'working';

/** A status in a word, with a mark that adds nothing to it. */
export function StatusText({ mark, text }: { mark: StatusMark; text: string }) {
  return (
    <Group gap={8} wrap="nowrap">
      {mark === 'working' ? (
        <Loader size={12} aria-hidden />
      ) : (
        <span aria-hidden style={{ width: 8, height: 8, borderRadius: 4, flex: 'none', background: COLOURS[mark] }} />
      )}
      <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
        {text}
      </Text>
    </Group>
  );
}
