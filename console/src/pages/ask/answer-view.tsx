import { useMemo, useState } from 'react';
import { Group, Loader, Paper, Stack, Text, Title } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { AnswerText } from '../../components/passages/answer-text.tsx';
import { FailedCollections } from '../../components/passages/failed-collections.tsx';
import { type Passage, PassageDrawer } from '../../components/passages/passage-drawer.tsx';
import { useCollectionNames } from '../../components/use-collection-names.ts';
import { askTexts } from '../../texts/ask-texts.ts';
import { AnswerNotes } from './answer-notes.tsx';
import { citedPassage } from './cited-passage.ts';
import { ConversationLink } from './conversation-link.tsx';
import { SourceList } from './source-list.tsx';
import type { WrittenAnswer } from './written-answer.ts';

export type AnswerViewProps = {
  written: WrittenAnswer;
  onRetry?: () => void;
  /** Its question is shown around it. */
  isEarlier?: boolean;
};

/** An answer with its sources, also while it is written. */
export function AnswerView({ written, onRetry, isEarlier = false }: AnswerViewProps) {
  const { data: names } = useCollectionNames();
  const [opened, setOpened] = useState<Passage | null>(null);
  const { citations, answer, error, failedCollections } = written;
  const passages = written.passages ?? [];
  const cited = passages.filter((passage) => citations.some(({ number }) => number === passage.number));
  const others = passages.filter((passage) => !cited.includes(passage));
  const open = (number: number, at?: number) => {
    const passage = passages.find((one) => one.number === number);
    const marked = at === undefined ? citations : citations.filter((one) => one.at === at);
    if (passage !== undefined) setOpened(citedPassage(passage, marked, names?.get(passage.collection_id)));
  };
  const shared = { citations, names, onOpen: (passage: { number: number }) => open(passage.number) };
  if (answer?.method === 'nothing_found') return <NothingFound answer={answer} />;
  return (
    <Stack gap="lg">
      {isEarlier ? (
        <AnswerBody written={written} onOpen={open} />
      ) : (
        <Paper withBorder radius="lg" p="lg" component="section" aria-busy={written.status === 'writing'}>
          <Stack gap="sm">
            <Title order={2} size="h4" className="break-anywhere">
              {written.question.query}
            </Title>
            <AnswerBody written={written} onOpen={open} />
          </Stack>
        </Paper>
      )}
      {error === null ? null : <ErrorNotice error={error} {...(onRetry === undefined ? {} : { onRetry })} />}
      <FailedCollections failed={failedCollections} names={names} />
      <SourceList title={askTexts.sources} passages={cited} {...shared} />
      {written.status === 'writing' ? null : <SourceList title={askTexts.others} passages={others} {...shared} />}
      <ConversationLink answer={written.answer} />
      <PassageDrawer passage={opened} onClose={() => setOpened(null)} />
    </Stack>
  );
}

/** What was searched for may be other words than those of the question. */
function NothingFound({ answer }: { answer: Schemas['Answer'] }) {
  const { title, advice } = askTexts.nothingFound;
  const { query, searched_for: searchedFor } = answer;
  return (
    <Stack align="center" gap="xs" role="status">
      <EmptyState icon="search" title={title} advice={advice} />
      {searchedFor === query ? null : (
        <Text size="sm" c="dimmed" className="break-anywhere">
          {askTexts.conversation.searchedFor(searchedFor)}
        </Text>
      )}
      <ConversationLink answer={answer} />
    </Stack>
  );
}

type AnswerBodyProps = { written: WrittenAnswer; onOpen: (number: number, at: number | undefined) => void };

function AnswerBody({ written, onOpen }: AnswerBodyProps) {
  const { text, passages, answer } = written;
  const sources = useMemo(() => new Map((passages ?? []).map(({ number, source }) => [number, source])), [passages]);
  return (
    <Stack gap="sm" aria-live="polite">
      <AnswerText text={text} citations={{ sources, onOpen }} isVerbatim={answer?.method === 'sentences'} />
      <Progress written={written} />
      {answer === null ? null : <AnswerNotes answer={answer} />}
    </Stack>
  );
}

function Progress({ written: { status, passages } }: { written: WrittenAnswer }) {
  if (status === 'stopped') {
    return (
      <Text size="sm" c="dimmed">
        {askTexts.stopped}
      </Text>
    );
  }
  if (status !== 'writing') return null;
  return (
    <Group gap="xs">
      <Loader size="xs" aria-hidden />
      <Text size="sm" c="dimmed">
        {passages === null ? askTexts.looking : askTexts.writing(passages.length)}
      </Text>
    </Group>
  );
}
