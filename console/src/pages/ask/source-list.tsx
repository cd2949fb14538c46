import { Badge, Blockquote, Group, Stack, Text, Title } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { PassageFacts } from '../../components/passages/passage-facts.tsx';
import { TextButton } from '../../components/text-button.tsx';
import { askTexts } from '../../texts/ask-texts.ts';

type AnswerPassage = Schemas['AnswerPassage'];
export type SourceListProps = {
  title: string;
  passages: readonly AnswerPassage[];
  citations: readonly Schemas['Citation'][];
  /** Names of collections by id. */
  names: ReadonlyMap<string, string> | undefined;
  onOpen: (passage: AnswerPassage) => void;
};

/** Passages with the sentences that an answer cites. */
export function SourceList({ title, passages, citations, names, onOpen }: SourceListProps) {
  if (passages.length === 0) return null;
  return (
    <Stack gap="sm" component="section">
      <Title order={2} size="h5">
        {title}
      </Title>
      <Stack gap="md" component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
        {passages.map((passage) => (
          <Source
            key={passage.number}
            passage={passage}
            citations={citations.filter(({ number }) => number === passage.number)}
            collection={names?.get(passage.collection_id)}
            onOpen={onOpen}
          />
        ))}
      </Stack>
    </Stack>
  );
}

type SourceProps = Pick<SourceListProps, 'citations' | 'onOpen'> & {
  passage: AnswerPassage;
  collection: string | undefined;
};

function Source({ passage, citations, collection, onOpen }: SourceProps) {
  const quotes = [...new Set(citations.flatMap(({ quote }) => (quote === null ? [] : [quote])))];
  return (
    <Stack component="li" gap={6}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Badge variant="default" circle size="lg" miw={26}>
          {passage.number}
        </Badge>
        <TextButton text={passage.source} onClick={() => onOpen(passage)} />
      </Group>
      <PassageFacts page={passage.page} headings={passage.heading_path} collection={collection} />
      {quotes.map((quote) => (
        <Blockquote key={quote} p="xs" pl="md" fz="sm" className="break-anywhere">
          {quote}
        </Blockquote>
      ))}
      {citations.length > 0 && quotes.length === 0 ? (
        <Text size="sm" c="dimmed">
          {askTexts.noQuote}
        </Text>
      ) : null}
    </Stack>
  );
}
