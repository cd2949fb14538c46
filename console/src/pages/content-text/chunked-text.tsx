import { useMemo } from 'react';
import { Group, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { formatCount } from '../../format/format-count.ts';
import { contentsTexts } from '../../texts/contents-texts.ts';
import { textPieces } from './text-pieces.ts';

const texts = contentsTexts.text;

export type ChunkedTextProps = {
  text: string;
  chunks: readonly Schemas['ContentChunk'][];
  /** False when more chunks follow. */
  isWhole: boolean;
};

/** A text with its chunks marked: each in a box, with its number, page, headings and length. */
export function ChunkedText({ text, chunks, isWhole }: ChunkedTextProps) {
  const pieces = useMemo(() => textPieces(text, chunks, isWhole), [text, chunks, isWhole]);
  const numbers = new Map(chunks.map(({ id }, at) => [id, at + 1]));
  return (
    <div className="chunked-text">
      {pieces.map(({ start, text: piece, chunk }) =>
        chunk === null ? (
          <div key={`between ${start}`} className="read-text">
            {piece.trim()}
          </div>
        ) : (
          <section key={chunk.id} className="chunk" aria-label={texts.chunk(numbers.get(chunk.id) ?? 0)}>
            <ChunkFacts chunk={chunk} number={numbers.get(chunk.id) ?? 0} />
            <div className="read-text">{piece}</div>
          </section>
        ),
      )}
    </div>
  );
}

function ChunkFacts({ chunk: { meta_data: facts }, number }: { chunk: Schemas['ContentChunk']; number: number }) {
  const { page, tokens, heading_path: headings } = facts;
  return (
    <Group gap="xs" mb={6} fz="xs" c="dimmed">
      <Text inherit fw={600}>
        {texts.chunk(number)}
      </Text>
      {page === null ? null : <span>{texts.page(page)}</span>}
      {tokens === undefined ? null : <span>{texts.tokens(formatCount(tokens))}</span>}
      {headings.length === 0 ? null : <span className="break-anywhere">{headings.join(' › ')}</span>}
    </Group>
  );
}
