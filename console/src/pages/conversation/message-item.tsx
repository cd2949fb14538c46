import { useMemo, useState } from 'react';
import { Badge, Group, Paper, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { TextButton } from '../../components/text-button.tsx';
import { Time } from '../../components/time.tsx';
import { formatCount } from '../../format/format-count.ts';
import { threadTexts } from '../../texts/conversations-texts.ts';
import { Topics } from '../memories/topics.tsx';
import { MarkdownText } from '../../components/markdown/markdown-text.tsx';
import { AnswerMessage } from './answer-message.tsx';
import { storedAnswerOf } from './cited-places.ts';
import { MessageData } from './message-data.tsx';
import { messageElementId } from './use-thread-scroll.ts';

const texts = threadTexts;
type Message = Schemas['Message'];
/** A longer text is shown up to here, until somebody wants all of it. */
const MAX_CHARACTERS = 4000;
/** Characters by which a message that is replied to is recognised. */
const START_CHARACTERS = 80;

export type MessageItemProps = {
  message: Message;
  /** The message that it replies to, if that is shown. */
  parent: Message | null;
};

/** A message: who said it, when, and what. */
export function MessageItem({ message, parent }: MessageItemProps) {
  const { id, role, tags, parent_message_id: parentId } = message;
  return (
    <Paper
      component="li"
      tabIndex={-1}
      withBorder
      radius="lg"
      p="md"
      id={messageElementId(id)}
      className="message"
      data-role={role}
    >
      <Stack gap={6}>
        <Sender message={message} />
        {parentId === null ? null : (
          <Text size="xs" c="dimmed" className="break-anywhere" lineClamp={1}>
            {texts.replyTo(parent === null ? null : parent.content.slice(0, START_CHARACTERS))}
          </Text>
        )}
        <MessageText message={message} />
        <Topics topics={tags} />
        <MessageData message={message} />
      </Stack>
    </Paper>
  );
}

function Sender({ message }: { message: Message }) {
  const { role, sender_id: sender, message_type: type, sent_at: sentAt } = message;
  return (
    <Group gap="xs" fz="sm">
      <Text inherit fw={600} className="break-anywhere">
        {texts.role[role] ?? role}
      </Text>
      {sender === null ? null : (
        <Text inherit c="dimmed" className="break-anywhere">
          {sender}
        </Text>
      )}
      {type === 'text' ? null : (
        <Badge variant="default" tt="none" maw="100%">
          {type}
        </Badge>
      )}
      <Text inherit c="dimmed" ml="auto">
        <Time at={sentAt} />
      </Text>
    </Group>
  );
}

function MessageText({ message }: { message: Message }) {
  const { content: text, role } = message;
  const [isWhole, setIsWhole] = useState(text.length <= MAX_CHARACTERS);
  const answer = useMemo(() => storedAnswerOf(message), [message]);
  if (text === '') return null;
  const shown = isWhole ? text : `${text.slice(0, MAX_CHARACTERS)} …`;
  return (
    <>
      {answer === null ? <TextOfRole text={shown} role={role} /> : <AnswerMessage text={shown} answer={answer} />}
      {isWhole ? null : <TextButton text={texts.whole(formatCount(text.length))} onClick={() => setIsWhole(true)} />}
    </>
  );
}

/** Assistants write Markdown; what people and tools say is shown as it is. */
function TextOfRole({ text, role }: { text: string; role: Message['role'] }) {
  return role === 'assistant' ? <MarkdownText text={text} /> : <div className="read-text">{text}</div>;
}
