import { Stack, Table, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { ContentStatus } from '../../components/content-status.tsx';
import { ListTable } from '../../components/list-table.tsx';
import { Time } from '../../components/time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { formatSize } from '../../format/format-size.ts';
import { contentsTexts } from '../../texts/contents-texts.ts';
import { ContentMenu, type ContentMenuProps } from './content-menu.tsx';

const { column } = contentsTexts;

type Shown = Pick<ContentMenuProps, 'collection' | 'onDelete'>;

export function ContentTable({ contents, ...shown }: Shown & { contents: readonly Schemas['Content'][] }) {
  return (
    <ListTable
      actions={column.actions}
      head={
        <>
          <Table.Th>{column.name}</Table.Th>
          <Table.Th className="only-wide">{column.status}</Table.Th>
          <Table.Th className="only-wide" ta="right">
            {column.size}
          </Table.Th>
          <Table.Th className="only-wide">{column.added}</Table.Th>
        </>
      }
    >
      {contents.map((content) => (
        <ContentRow key={content.id} content={content} {...shown} />
      ))}
    </ListTable>
  );
}

function ContentRow({ content, ...shown }: ContentMenuProps) {
  const { status, size, created_at: createdAt } = content;
  return (
    <Table.Tr>
      <Table.Td>
        <ContentName collectionId={shown.collection.id} content={content} />
      </Table.Td>
      <Table.Td className="only-wide">
        <ContentStatus status={status} />
      </Table.Td>
      <Table.Td className="only-wide" ta="right" style={{ whiteSpace: 'nowrap' }}>
        {size === null ? contentsTexts.unknownSize : formatSize(size)}
      </Table.Td>
      <Table.Td className="only-wide" style={{ whiteSpace: 'nowrap' }}>
        <Time at={createdAt} />
      </Table.Td>
      <Table.Td>
        <ContentMenu content={content} {...shown} />
      </Table.Td>
    </Table.Tr>
  );
}

function ContentName({ collectionId, content }: { collectionId: string; content: Schemas['Content'] }) {
  const { id, name, status, status_message: message } = content;
  return (
    <Stack gap={2}>
      <TextLink
        to="/collections/$collectionId/contents/$contentId"
        params={{ collectionId, contentId: id }}
        size="sm"
        fw={600}
        className="break-anywhere"
      >
        {name}
      </TextLink>
      <div className="only-narrow">
        <ContentStatus status={status} />
      </div>
      {message === null ? null : (
        <Text size="xs" c={status === 'failed' ? 'var(--mantine-color-error)' : 'dimmed'} className="break-anywhere">
          {message}
        </Text>
      )}
    </Stack>
  );
}
