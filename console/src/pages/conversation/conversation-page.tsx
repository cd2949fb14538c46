import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { queryKeys } from '../../api/query-keys.ts';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ButtonLink } from '../../components/button-link.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Icon } from '../../components/icon.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { conversationsTexts, threadTexts } from '../../texts/conversations-texts.ts';
import { ConversationMenu } from '../conversations/conversation-menu.tsx';
import { ConversationStatusText } from '../conversations/conversation-status-text.tsx';
import { useConversation } from '../conversations/use-conversations.ts';
import { ConversationFacts } from './conversation-facts.tsx';
import { mayWriteIn } from './may-write-in.ts';
import { MessageThread } from './message-thread.tsx';

const route = getRouteApi('/conversations/$conversationId');
const texts = threadTexts;
type Conversation = Schemas['Conversation'];

/** One conversation: what it is about, its messages, and the field for another one. */
export function ConversationPage() {
  const { conversationId } = route.useParams();
  return (
    <Loaded query={useConversation(conversationId)}>
      {(conversation) => <ShownConversation conversation={conversation} />}
    </Loaded>
  );
}

function ShownConversation({ conversation }: { conversation: Conversation }) {
  const { may } = useSession();
  const leave = useLeave(conversation.id);
  const above = (
    <TextLink to="/conversations" size="sm">
      {texts.back}
    </TextLink>
  );
  return (
    <>
      <PageHeader
        title={conversation.title || conversationsTexts.untitled}
        description={<ConversationFacts conversation={conversation} />}
        above={above}
        actions={
          <Group gap="xs">
            <ConversationStatusText status={conversation.status} />
            <AskLink conversation={conversation} />
            <ConversationMenu conversation={conversation} onRemoved={leave} />
          </Group>
        }
      />
      <Summary text={conversation.summary} />
      {may('messages:read') ? (
        <MessageThread key={conversation.id} conversation={conversation} />
      ) : (
        <EmptyState icon="key" title={texts.notReadable.title} advice={texts.notReadable.advice} />
      )}
    </>
  );
}

/** Goes back to the list, and forgets what was loaded of a conversation that was deleted. */
function useLeave(conversationId: string): () => void {
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const leave = async () => {
    await navigate({ to: '/conversations', replace: true });
    queries.removeQueries({ queryKey: queryKeys.conversation(conversationId) });
    queries.removeQueries({ queryKey: queryKeys.messages(conversationId) });
  };
  return () => void leave();
}

/** Leads to questions whose answers know what was said here. */
function AskLink({ conversation }: { conversation: Conversation }) {
  const session = useSession();
  if (!session.may('collections:read', 'messages:read') || !mayWriteIn(session, conversation)) return null;
  return (
    <ButtonLink
      to="/ask"
      search={{ conversation: conversation.id }}
      variant="default"
      leftSection={<Icon name="ask" size={16} />}
    >
      {texts.ask}
    </ButtonLink>
  );
}

function Summary({ text }: { text: string | null }) {
  if (text === null) {
    return (
      <Text size="sm" c="dimmed" mb="lg">
        {texts.noSummary}
      </Text>
    );
  }
  return (
    <Paper withBorder radius="lg" p="md" mb="lg" component="section">
      <Stack gap={6}>
        <Title order={2} size="h5">
          {texts.summary}
        </Title>
        <div className="read-text">{text}</div>
      </Stack>
    </Paper>
  );
}
