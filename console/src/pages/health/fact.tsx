import { Badge, Group, Stack, Text } from '@mantine/core';

export type FactProps = { name: string; value: string; mark?: string | null; note?: string | null };

/** A name and what it stands for, in a list. */
export function Fact({ name, value, mark = null, note = null }: FactProps) {
  return (
    <Stack gap={2} py="sm" className="listed">
      <Group gap="xs">
        <Text size="sm" fw={600} className="break-anywhere">
          {name}
        </Text>
        {mark === null ? null : <Badge variant="default">{mark}</Badge>}
      </Group>
      <Text size="sm" c="dimmed" className="break-anywhere">
        {value}
      </Text>
      {note === null ? null : (
        <Text size="sm" className="break-anywhere">
          {note}
        </Text>
      )}
    </Stack>
  );
}
