import { Button, Group, Stack, Text, Title } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/loading.tsx';
import { MoreButton } from '../../components/more-button.tsx';
import { formatCount } from '../../format/format-count.ts';
import { threadTexts } from '../../texts/conversations-texts.ts';
import { mayWriteIn } from './may-write-in.ts';
import { MessageItem } from './message-item.tsx';
import { type Thread, useMessages, useNewestMessages } from './use-messages.ts';
import { useThreadScroll } from './use-thread-scroll.ts';
import { WriteMessage } from './write-message.tsx';

const texts = threadTexts;
type Conversation = Schemas['Conversation'];

/** The messages of a conversation, the newest at the end; older ones are loaded when they are asked for. */
export function MessageThread({ conversation }: { conversation: Conversation }) {
  const list = useMessages(conversation.id);
  const { data: thread, error, refetch } = list;
  const scroll = useThreadScroll(thread?.messages);
  if (thread === undefined && error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (thread === undefined) return <Loading />;
  return (
    <Stack component="section" gap="md">
      <Group justify="space-between" gap="xs">
        <Title order={2} size="h5">
          {texts.list}
        </Title>
        <Text size="sm" c="dimmed">
          {texts.facts.messages(thread.total, formatCount(thread.total))}
        </Text>
      </Group>
      <MoreButton list={list} label={texts.older} onMore={scroll.keep} />
      {error === null || list.isFetchNextPageError ? null : (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      )}
      <Messages conversation={conversation} thread={thread} />
      <ThreadEnd conversation={conversation} thread={thread} />
      <div ref={scroll.end} />
    </Stack>
  );
}

function Messages({ conversation, thread }: { conversation: Conversation; thread: Thread }) {
  const mayWrite = mayWriteIn(useSession(), conversation);
  const { title, advice, adviceReading } = texts.empty;
  if (thread.messages.length === 0) {
    return <EmptyState icon="conversation" title={title} advice={mayWrite ? advice : adviceReading} />;
  }
  const byId = new Map(thread.messages.map((message) => [message.id, message]));
  return (
    <Stack component="ol" gap="sm" m={0} p={0} className="thread">
      {thread.messages.map((message) => (
        <MessageItem key={message.id} message={message} parent={byId.get(message.parent_message_id ?? '') ?? null} />
      ))}
    </Stack>
  );
}

/** What follows the last message that is shown: newer ones that were left out, or the field for another one. */
function ThreadEnd({ conversation, thread }: { conversation: Conversation; thread: Thread }) {
  const session = useSession();
  const showNewest = useNewestMessages(conversation.id);
  const { id, status } = conversation;
  if (!thread.hasNewest) {
    return (
      <Stack align="center" gap="xs">
        <Text size="sm" c="dimmed">
          {texts.newerLeftOut}
        </Text>
        <Button variant="default" onClick={showNewest}>
          {texts.toNewest}
        </Button>
      </Stack>
    );
  }
  if (mayWriteIn(session, conversation)) return <WriteMessage key={id} conversation={conversation} />;
  if (status === 'active') return null;
  return (
    <Text size="sm" c="dimmed" ta="center">
      {texts.closed[status]}
    </Text>
  );
}
