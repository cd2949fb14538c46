import { Stack, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { askTexts } from '../../texts/ask-texts.ts';

const { notes } = askTexts;
const SECONDS = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** How an answer came about, and what is to be kept in mind. */
export function AnswerNotes({ answer }: { answer: Schemas['Answer'] }) {
  const { query, searched_for: searchedFor, method, finish_reason: reason, model, execution_time_ms: tookMs } = answer;
  return (
    <Stack gap={2} fz="xs" c="dimmed">
      {searchedFor === query ? null : (
        <Text inherit className="break-anywhere">
          {askTexts.conversation.searchedFor(searchedFor)}
        </Text>
      )}
      {reason === 'length' ? <Text inherit>{notes.length}</Text> : null}
      {reason === 'content_filter' ? <Text inherit>{notes.contentFilter}</Text> : null}
      <Text inherit>{method === 'sentences' ? notes.sentences : notes.model}</Text>
      <Text inherit>{askTexts.took(SECONDS.format(tookMs / 1000), model)}</Text>
    </Stack>
  );
}
