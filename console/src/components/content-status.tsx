import { Group, Loader, Text } from '@mantine/core';
import type { Schemas } from '../api/schemas.ts';
import { contentsTexts } from '../texts/contents-texts.ts';

type Status = Schemas['Content']['status'];
const COLOURS: Partial<Record<Status, string>> = {
  ready: 'var(--mantine-color-teal-6)',
  failed: 'var(--mantine-color-error)',
  paused: 'var(--mantine-color-yellow-6)',
};
const WORKING: ReadonlySet<Status> = new Set(['downloading', 'reading', 'splitting', 'indexing', 'deleting']);

/** Where a content is on its way to be found, in a word, with a mark that adds nothing to it. */
export function ContentStatus({ status }: { status: Status }) {
  const background = COLOURS[status] ?? 'var(--mantine-color-gray-5)';
  return (
    <Group gap={8} wrap="nowrap">
      {WORKING.has(status) ? (
        <Loader size={12} aria-hidden />
      ) : (
        <span aria-hidden style={{ width: 8, height: 8, borderRadius: 4, flex: 'none', background }} />
      )}
      <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
        {contentsTexts.status[status]}
      </Text>
    </Group>
  );
}
