import { type ReactNode, useState } from 'react';
import { Code, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { threadTexts } from '../../texts/conversations-texts.ts';

const texts = threadTexts;
/** Longer data is cut off. */
const MAX_CHARACTERS = 20_000;

/** What a message has besides its text, as JSON that is shown when it is asked for. */
export function MessageData({ message }: { message: Schemas['Message'] }) {
  const { tool_calls: calls, attachments, meta_data: data } = message;
  return (
    <>
      {calls.length === 0 ? null : <Details title={texts.toolCalls(calls.length)} data={calls} />}
      {attachments.length === 0 ? null : <Details title={texts.attachments(attachments.length)} data={attachments} />}
      {Object.keys(data).length === 0 ? null : <Details title={texts.data} data={data} />}
    </>
  );
}

function Details({ title, data }: { title: string; data: object }): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const json = isOpen ? JSON.stringify(data, null, 2) : '';
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <Text component="summary" size="xs" c="dimmed" style={{ cursor: 'pointer' }}>
        {title}
      </Text>
      <Code block mt={6} tabIndex={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {json.slice(0, MAX_CHARACTERS)}
      </Code>
      {json.length > MAX_CHARACTERS ? (
        <Text size="xs" c="dimmed">
          {texts.cut}
        </Text>
      ) : null}
    </details>
  );
}
