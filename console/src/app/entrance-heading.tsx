import { Stack, Text, Title } from '@mantine/core';
import { Wordmark } from '../components/wordmark.tsx';

/** The heading of what people see before they are signed in. */
export function EntranceHeading({ title, explanation }: { title: string; explanation: string }) {
  return (
    <Stack gap={4}>
      <Wordmark />
      <Title order={1} size="h3" mt="md">
        {title}
      </Title>
      <Text size="sm" c="dimmed">
        {explanation}
      </Text>
    </Stack>
  );
}
