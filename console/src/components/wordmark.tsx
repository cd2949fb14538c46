import { Group, Text } from '@mantine/core';
import { shellTexts } from '../texts/shell-texts.ts';

/** The mark and the name of the product. */
export function Wordmark() {
  return (
    <Group gap={8} wrap="nowrap">
      <svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" fill="var(--mantine-primary-color-filled)" />
        <path
          d="M16 6a7 7 0 0 0-7 7c0 5.2 7 13 7 13s7-7.8 7-13a7 7 0 0 0-7-7zm0 9.6a2.6 2.6 0 1 1 0-5.2 2.6 2.6 0 0 1 0 5.2z"
          fill="#fff"
        />
      </svg>
      <Text fw={700} size="lg" lh={1}>
        {shellTexts.product}
      </Text>
    </Group>
  );
}
