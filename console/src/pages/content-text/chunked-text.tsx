import { type ReactNode, useMemo } from 'react';
import { Group, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { unwrapLines } from '../../components/passages/unwrap-lines.ts';
import { formatCount } from '../../format/format-count.ts';
import { contentsTexts } from '../../texts/contents-texts.ts';
import { chunkElementId } from './use-chosen-chunk.ts';
import { type TextPart, textPieces } from './text-pieces.ts';

const texts = contentsTexts.text;

export type ChunkedTextProps = {
  parts: readonly TextPart[];
  /** The chunk that somebody was led to. */
  chosen: string | undefined;
};

/** A text with its chunks marked: each in a box, with its number, page, headings and length. */
export function ChunkedText({ parts, chosen }: ChunkedTextProps) {
  const numbers = new Map(parts.flatMap(({ chunks }) => chunks).map(({ id }, at) => [id, at + 1]));
  return (
    <div className="chunked-text">
      {parts.map((part) => (
        <Pieces key={part.chunks[0]?.id ?? part.start} part={part} numbers={numbers} chosen={chosen} />
      ))}
    </div>
  );
}

type PiecesProps = { part: TextPart; numbers: ReadonlyMap<string, number>; chosen: string | undefined };

function Pieces({ part, numbers, chosen }: PiecesProps): ReactNode {
  const pieces = useMemo(() => textPieces(part), [part]);
  return pieces.map(({ start, text: piece, chunk }) =>
    chunk === null ? (
      <div key={`between ${start}`} className="read-text">
        {unwrapLines(piece.trim())}
      </div>
    ) : (
      <section
        key={chunk.id}
        id={chunkElementId(chunk.id)}
        className="chunk"
        tabIndex={-1}
        data-chosen={chunk.id === chosen || undefined}
        aria-label={texts.chunk(numbers.get(chunk.id) ?? 0)}
      >
        <ChunkFacts chunk={chunk} number={numbers.get(chunk.id) ?? 0} />
        <div className="read-text">{unwrapLines(piece)}</div>
      </section>
    ),
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
