import { Group, Stack, Table, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { ListTable } from '../../components/list-table.tsx';
import { Time } from '../../components/time.tsx';
import { memoriesTexts } from '../../texts/memories-texts.ts';
import { MemoryMenu } from './memory-menu.tsx';
import { Topics } from './topics.tsx';

const { column } = memoriesTexts;

export type MemoryTableProps = { memories: readonly Schemas['MemoryRecord'][]; isPast: boolean };

export function MemoryTable({ memories, isPast }: MemoryTableProps) {
  return (
    <ListTable
      actions={column.actions}
      head={
        <>
          <Table.Th>{column.memory}</Table.Th>
          <Table.Th className="only-wide">{column.user}</Table.Th>
          <Table.Th className="only-wide">{column.updated}</Table.Th>
        </>
      }
    >
      {memories.map((memory) => (
        <MemoryRow key={memory.memory_id} memory={memory} isPast={isPast} />
      ))}
    </ListTable>
  );
}

function MemoryRow({ memory: record, isPast }: { memory: Schemas['MemoryRecord']; isPast: boolean }) {
  const { memory, topics, user_id: user, updated_at: updatedAt } = record;
  return (
    <Table.Tr>
      <Table.Td>
        <Stack gap={6}>
          <Text size="sm" lineClamp={6} className="break-anywhere" style={{ whiteSpace: 'pre-wrap' }}>
            {memory}
          </Text>
          <Topics topics={topics} />
          <Group gap={6} fz="xs" c="dimmed" className="only-narrow">
            <span className="break-anywhere">{user}</span> · <Time at={updatedAt} />
          </Group>
        </Stack>
      </Table.Td>
      <Table.Td className="only-wide" maw={200}>
        <Text size="sm" truncate title={user}>
          {user}
        </Text>
      </Table.Td>
      <Table.Td className="only-wide" style={{ whiteSpace: 'nowrap' }}>
        <Time at={updatedAt} />
      </Table.Td>
      <Table.Td>
        <MemoryMenu memory={record} isPast={isPast} />
      </Table.Td>
    </Table.Tr>
  );
}
