import { Badge, Group, Stack, Table, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { ListTable } from '../../components/list-table.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Time } from '../../components/time.tsx';
import { conversationsTexts } from '../../texts/conversations-texts.ts';
import { ConversationMenu } from './conversation-menu.tsx';
import { ConversationStatusText } from './conversation-status-text.tsx';

const { column } = conversationsTexts;
type Conversation = Schemas['Conversation'];

export function ConversationTable({ conversations }: { conversations: readonly Conversation[] }) {
  return (
    <ListTable
      actions={column.actions}
      head={
        <>
          <Table.Th>{column.title}</Table.Th>
          <Table.Th className="only-wide">{column.user}</Table.Th>
          <Table.Th className="only-wide">{column.status}</Table.Th>
          <Table.Th className="only-wide">{column.updated}</Table.Th>
        </>
      }
    >
      {conversations.map((conversation) => (
        <ConversationRow key={conversation.id} conversation={conversation} />
      ))}
    </ListTable>
  );
}

function ConversationRow({ conversation }: { conversation: Conversation }) {
  const { owner_id: user, status, updated_at: updatedAt } = conversation;
  return (
    <Table.Tr>
      <Table.Td>
        <ConversationName conversation={conversation} />
      </Table.Td>
      <Table.Td className="only-wide" maw={200}>
        <Text size="sm" truncate title={user ?? ''}>
          {user}
        </Text>
      </Table.Td>
      <Table.Td className="only-wide">
        <ConversationStatusText status={status} />
      </Table.Td>
      <Table.Td className="only-wide" style={{ whiteSpace: 'nowrap' }}>
        <Time at={updatedAt} />
      </Table.Td>
      <Table.Td>
        <ConversationMenu conversation={conversation} />
      </Table.Td>
    </Table.Tr>
  );
}

/** Its title, which opens it, with the summary; in a narrow window also what the other columns have. */
function ConversationName({ conversation }: { conversation: Conversation }) {
  const { id, title, summary, is_public: isPublic, owner_id: user, status, updated_at: updatedAt } = conversation;
  return (
    <Stack gap={4} align="flex-start">
      <Group gap="xs">
        <TextLink
          to="/conversations/$conversationId"
          params={{ conversationId: id }}
          resetScroll={false}
          fw={600}
          className="break-anywhere"
        >
          {title || conversationsTexts.untitled}
        </TextLink>
        {isPublic ? <Badge variant="default">{conversationsTexts.public}</Badge> : null}
      </Group>
      {summary === null ? null : (
        <Text size="xs" c="dimmed" lineClamp={2} className="break-anywhere">
          {summary}
        </Text>
      )}
      <Group gap={6} fz="xs" c="dimmed" className="only-narrow">
        {user === null ? null : <span className="break-anywhere">{user} ·</span>} {conversationsTexts.status[status]} ·{' '}
        <Time at={updatedAt} />
      </Group>
    </Stack>
  );
}
