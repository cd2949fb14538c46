import { Code, Drawer, Stack, Text, Title } from '@mantine/core';
import { useSession } from '../../app/session.tsx';
import { passagesTexts } from '../../texts/passages-texts.ts';
import { MarkedText, type TextRange } from './marked-text.tsx';
import { PassageFacts } from './passage-facts.tsx';
import { TextLink } from '../text-link.tsx';

/** A chunk of a document, with what is to be marked in it. */
export type Passage = {
  source: string;
  contentId: string;
  /** Null if it is not known which chunk it is. */
  chunkId: string | null;
  collectionId: string;
  text: string;
  ranges: readonly TextRange[];
  page: number | null;
  headings: readonly string[];
  collection?: string | undefined;
  metadata?: Record<string, unknown>;
};

/** Shows a whole passage beside the page that cites it. */
export function PassageDrawer({ passage, onClose }: { passage: Passage | null; onClose: () => void }) {
  return (
    <Drawer opened={passage !== null} onClose={onClose} position="right" size="lg" title={passagesTexts.title}>
      {passage === null ? null : <WholePassage passage={passage} />}
    </Drawer>
  );
}

/** A passage with where it is, and the way to its document. */
export function WholePassage({ passage }: { passage: Passage }) {
  const { may } = useSession();
  const { source, contentId, chunkId, collectionId, text, ranges, page, headings, collection, metadata = {} } = passage;
  return (
    <Stack gap="md">
      <Title order={3} size="h5" className="break-anywhere">
        {source}
      </Title>
      <PassageFacts page={page} headings={headings} collection={collection} />
      <Text size="sm" className="break-anywhere" style={{ whiteSpace: 'pre-wrap' }}>
        <MarkedText text={text} ranges={ranges} />
      </Text>
      {Object.keys(metadata).length === 0 ? null : (
        <Stack gap={4}>
          <Text size="xs" c="dimmed">
            {passagesTexts.metadata}
          </Text>
          <Code block className="break-anywhere" style={{ whiteSpace: 'pre-wrap' }}>
            {JSON.stringify(metadata, null, 2)}
          </Code>
        </Stack>
      )}
      {may('contents:read') ? (
        <TextLink
          to="/collections/$collectionId/contents/$contentId"
          params={{ collectionId, contentId }}
          search={chunkId === null ? {} : { chunk: chunkId }}
          size="sm"
        >
          {passagesTexts.openText}
        </TextLink>
      ) : null}
    </Stack>
  );
}
