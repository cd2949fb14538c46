import type { ReactNode } from 'react';
import { Badge, Group, Stack, Table, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ListTable } from '../../components/list-table.tsx';
import { Time } from '../../components/time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { formatCount } from '../../format/format-count.ts';
import { formatSize } from '../../format/format-size.ts';
import { collectionsTexts } from '../../texts/collections-texts.ts';
import { CollectionMenu, type CollectionMenuProps } from './collection-menu.tsx';
import { type CollectionStats, collectionStatsOf } from './collection-stats.ts';

const { column } = collectionsTexts;

export type CollectionTableProps = Pick<CollectionMenuProps, 'onDelete'> & {
  collections: readonly Schemas['Collection'][];
};

export function CollectionTable({ collections, onDelete }: CollectionTableProps) {
  const { may } = useSession();
  const hasMenus = may('collections:write') || may('collections:delete');
  return (
    <ListTable
      actions={hasMenus ? column.actions : null}
      head={
        <>
          <Table.Th>{column.name}</Table.Th>
          <Table.Th className="only-wide" ta="right">
            {column.contents}
          </Table.Th>
          <Table.Th className="only-wide" ta="right">
            {column.chunks}
          </Table.Th>
          <Table.Th className="only-wide" ta="right">
            {column.size}
          </Table.Th>
          <Table.Th className="only-wide">{column.embedder}</Table.Th>
          <Table.Th className="only-wide">{column.updated}</Table.Th>
        </>
      }
    >
      {collections.map((collection) => (
        <CollectionRow
          key={collection.id}
          collection={collection}
          menu={hasMenus ? <CollectionMenu collection={collection} onDelete={onDelete} /> : null}
        />
      ))}
    </ListTable>
  );
}

function CollectionRow({ collection, menu }: { collection: Schemas['Collection']; menu: ReactNode }) {
  const stats = collectionStatsOf(collection);
  const { embedding, updated_at: updatedAt } = collection;
  return (
    <Table.Tr>
      <Table.Td>
        <CollectionName collection={collection} stats={stats} />
      </Table.Td>
      <Table.Td className="only-wide" ta="right">
        {formatCount(stats.contents)}
      </Table.Td>
      <Table.Td className="only-wide" ta="right">
        {formatCount(stats.chunks)}
      </Table.Td>
      <Table.Td className="only-wide" ta="right" style={{ whiteSpace: 'nowrap' }}>
        {formatSize(stats.bytes)}
      </Table.Td>
      <Table.Td className="only-wide" maw={220}>
        <Text size="sm" truncate title={embedding.model}>
          {embedding.model}
        </Text>
        <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          {collectionsTexts.embedder(embedding.provider, embedding.dimensions)}
        </Text>
      </Table.Td>
      <Table.Td className="only-wide" style={{ whiteSpace: 'nowrap' }}>
        <Time at={updatedAt} />
      </Table.Td>
      {menu === null ? null : <Table.Td>{menu}</Table.Td>}
    </Table.Tr>
  );
}

function CollectionName({ collection, stats }: { collection: Schemas['Collection']; stats: CollectionStats }) {
  const { id, name, description, status } = collection;
  return (
    <Stack gap={2}>
      <Group gap="xs">
        <TextLink
          to="/collections/$collectionId"
          params={{ collectionId: id }}
          size="sm"
          fw={600}
          className="break-anywhere"
        >
          {name}
        </TextLink>
        {status === 'archived' ? <Badge variant="default">{collectionsTexts.archived}</Badge> : null}
        {status === 'deleting' ? <Badge variant="default">{collectionsTexts.deleting}</Badge> : null}
      </Group>
      {description === null || description === '' ? null : (
        <Text size="sm" c="dimmed" lineClamp={2} className="break-anywhere">
          {description}
        </Text>
      )}
      <Text size="xs" c="dimmed" className="only-narrow">
        {collectionsTexts.counts(
          collectionsTexts.contents(stats.contents, formatCount(stats.contents)),
          formatSize(stats.bytes),
        )}
      </Text>
      <OpenWork stats={stats} />
    </Stack>
  );
}

function OpenWork({ stats }: { stats: CollectionStats }) {
  return (
    <Group gap="sm" fz="xs">
      {stats.failed === 0 ? null : (
        <Text inherit c="var(--mantine-color-error)">
          {collectionsTexts.failed(stats.failed)}
        </Text>
      )}
      {stats.inProgress === 0 ? null : (
        <Text inherit c="dimmed">
          {collectionsTexts.inProgress(stats.inProgress)}
        </Text>
      )}
    </Group>
  );
}
