import { Group, Loader, Stack, Table, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { formatCount } from '../../format/format-count.ts';
import { formatTime } from '../../format/format-time.ts';
import { deletionTexts as texts } from '../../texts/deletion-texts.ts';
import { Loaded } from '../loaded.tsx';
import { useDeletion } from './use-deletion.ts';

/** What a deletion has removed so far, and whether it was verified that nothing is left. */
export function DeletionReceipt({ deletionId }: { deletionId: string }) {
  const mayRead = useSession().may('deletions:read');
  const query = useDeletion(deletionId);
  if (!mayRead) return <Text size="sm">{texts.accepted}</Text>;
  return <Loaded query={query}>{(deletion) => <Receipt deletion={deletion} />}</Loaded>;
}

function Receipt({ deletion }: { deletion: Schemas['Deletion'] }) {
  const isCompleted = deletion.status === 'completed';
  return (
    <Stack gap="sm">
      <Group gap="sm" wrap="nowrap" role="status">
        {isCompleted ? null : <Loader size="xs" aria-hidden />}
        <Text size="sm">{isCompleted ? texts.completed : texts.running}</Text>
      </Group>
      <RemovedCounts deletion={deletion} />
    </Stack>
  );
}

function RemovedCounts({ deletion: { removed, verified_at: verifiedAt } }: { deletion: Schemas['Deletion'] }) {
  const others = [
    [texts.collections, removed.collections],
    [texts.conversations, removed.conversations],
    [texts.messages, removed.messages],
    [texts.memories, removed.memories],
  ] as const;
  const rows = [
    [texts.contents, formatCount(removed.contents)],
    [texts.chunks, formatCount(removed.chunks)],
    [texts.objects, formatCount(removed.index_objects)],
    [texts.files, formatCount(removed.blobs)],
    ...others.flatMap(([label, count]) => (count === 0 ? [] : [[label, formatCount(count)] as const])),
    ...(verifiedAt === null ? [] : [[texts.verified, formatTime(new Date(verifiedAt))]]),
  ] as const;
  return (
    <Table variant="vertical" withTableBorder>
      <Table.Tbody>
        {rows.map(([label, value]) => (
          <Table.Tr key={label}>
            <Table.Th scope="row">{label}</Table.Th>
            <Table.Td>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
