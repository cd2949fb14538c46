import { Badge, Group, Text } from '@mantine/core';
import { passagesTexts } from '../../texts/passages-texts.ts';

export type PassageFactsProps = { page: number | null; headings: readonly string[]; collection?: string | undefined };

/** Where in its document a passage is. */
export function PassageFacts({ page, headings, collection }: PassageFactsProps) {
  if (page === null && headings.length === 0 && collection === undefined) return null;
  return (
    <Group gap="xs">
      {collection === undefined ? null : (
        <Badge variant="default" tt="none" fw={500}>
          {collection}
        </Badge>
      )}
      {page === null ? null : (
        <Badge variant="default" tt="none" fw={500}>
          {passagesTexts.page(page)}
        </Badge>
      )}
      {headings.length === 0 ? null : (
        <Text size="xs" c="dimmed" className="break-anywhere">
          {headings.join(' › ')}
        </Text>
      )}
    </Group>
  );
}
