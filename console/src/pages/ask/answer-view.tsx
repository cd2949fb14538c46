import { useState } from 'react';
import { Group, Loader, Paper, Stack, Text, Title } from '@mantine/core';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FailedCollections } from '../../components/passages/failed-collections.tsx';
import { type Passage, PassageDrawer } from '../../components/passages/passage-drawer.tsx';
import { useCollectionNames } from '../../components/use-collection-names.ts';
import { askTexts } from '../../texts/ask-texts.ts';
import { AnswerNotes } from './answer-notes.tsx';
import { AnswerText } from './answer-text.tsx';
import { citedPassage } from './cited-passage.ts';
import { SourceList } from './source-list.tsx';
import type { WrittenAnswer } from './use-answer.ts';

/** An answer with its sources, also while it is written. */
export function AnswerView({ written, onRetry }: { written: WrittenAnswer; onRetry: () => void }) {
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
  if (answer?.method === 'nothing_found') {
    return <EmptyState icon="search" title={askTexts.nothingFound.title} advice={askTexts.nothingFound.advice} />;
  }
  return (
    <Stack gap="lg">
      <AnswerBody written={written} onOpen={open} />
      {error === null ? null : <ErrorNotice error={error} onRetry={onRetry} />}
      <FailedCollections failed={failedCollections} names={names} />
      <SourceList title={askTexts.sources} passages={cited} {...shared} />
      {written.status === 'writing' ? null : <SourceList title={askTexts.others} passages={others} {...shared} />}
      <PassageDrawer passage={opened} onClose={() => setOpened(null)} />
    </Stack>
  );
}

type AnswerBodyProps = { written: WrittenAnswer; onOpen: (number: number, at: number) => void };

function AnswerBody({ written, onOpen }: AnswerBodyProps) {
  const { question, text, passages, status, answer } = written;
  return (
    <Paper withBorder radius="lg" p="lg" component="section" aria-busy={status === 'writing'}>
      <Stack gap="sm" aria-live="polite">
        <Title order={2} size="h4" className="break-anywhere">
          {question.query}
        </Title>
        <AnswerText text={text} passages={passages ?? []} onOpen={({ number }, at) => onOpen(number, at)} />
        <Progress written={written} />
        {answer === null ? null : <AnswerNotes answer={answer} />}
      </Stack>
    </Paper>
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
