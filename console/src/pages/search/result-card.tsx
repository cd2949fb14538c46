import { Group, Paper, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { MarkedText } from '../../components/passages/marked-text.tsx';
import type { Passage } from '../../components/passages/passage-drawer.tsx';
import { PassageFacts } from '../../components/passages/passage-facts.tsx';
import { TextButton } from '../../components/text-button.tsx';
import { searchTexts } from '../../texts/search-texts.ts';
import { ResultExplanation } from './result-explanation.tsx';
import type { SearchType } from './search-choice.ts';

type SearchResult = Schemas['SearchResult'];
export type ResultCardProps = {
  rank: number;
  type: SearchType;
  result: SearchResult;
  /** The name of its collection, where several are searched. */
  collection: string | undefined;
  onOpen: (passage: Passage) => void;
};

/** A passage that was found: its best part, and why it is at this place. */
export function ResultCard({ rank, type, result, collection, onOpen }: ResultCardProps) {
  const { source, content, highlight, chunk } = result;
  return (
    <Paper withBorder radius="lg" p="md" component="li">
      <Stack gap="xs">
        <Group gap="xs" wrap="nowrap" align="baseline">
          <Text size="sm" c="dimmed">
            {searchTexts.rank(rank)}
          </Text>
          <TextButton
            text={source}
            label={searchTexts.open(source)}
            onClick={() => onOpen(passageOf(result, collection))}
          />
        </Group>
        <PassageFacts page={chunk.page} headings={chunk.heading_path} collection={collection} />
        <Text size="sm" className="break-anywhere" style={{ whiteSpace: 'pre-line' }}>
          <MarkedText
            text={highlight?.text ?? content}
            ranges={highlight?.matches ?? []}
            offset={highlight?.start ?? 0}
          />
        </Text>
        <ResultExplanation result={result} type={type} />
      </Stack>
    </Paper>
  );
}

function passageOf(result: SearchResult, collection: string | undefined): Passage {
  const { source, content, highlight, chunk, metadata } = result;
  const { chunk: _, ...own } = metadata;
  return {
    source,
    contentId: result.content_id,
    chunkId: result.chunk.id,
    collectionId: result.collection_id,
    text: content,
    ranges: highlight?.matches ?? [],
    page: chunk.page,
    headings: chunk.heading_path,
    collection,
    metadata: own,
  };
}
