import { Badge, Group } from '@mantine/core';

/** The topics of a memory. */
export function Topics({ topics }: { topics: readonly string[] }) {
  if (topics.length === 0) return null;
  return (
    <Group gap={6}>
      {topics.map((topic) => (
        <Badge key={topic} variant="default" tt="none" fw={500} maw="100%">
          {topic}
        </Badge>
      ))}
    </Group>
  );
}
