import { Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { askTexts } from '../../texts/ask-texts.ts';

const texts = askTexts.conversation;

/** Leads to the conversation that question and answer were added to. */
export function ConversationLink({ answer }: { answer: Schemas['Answer'] | null }) {
  const { may } = useSession();
  const id = answer?.conversation_id ?? null;
  if (id === null || !may('conversations:read')) return null;
  return (
    <Text size="sm">
      {texts.stored}{' '}
      <TextLink to="/conversations/$conversationId" params={{ conversationId: id }} inherit underline="always">
        {texts.open}
      </TextLink>
    </Text>
  );
}
