import { Text } from '@mantine/core';
import { CitationButton, type Citations } from './citation-button.tsx';

const MARK = /\[(\d+)\]/g;

/** A text as it is, but for its marks, which open what they cite. */
export function VerbatimText({ text, citations }: { text: string; citations: Citations | null }) {
  return (
    <Text className="break-anywhere" style={{ whiteSpace: 'pre-wrap' }} lh={1.65}>
      {piecesOf(text, citations?.sources ?? NO_SOURCES).map(({ at, text: piece, cited }) =>
        cited === null ? (
          <span key={at}>{piece}</span>
        ) : (
          <CitationButton key={at} {...cited} onClick={() => citations?.onOpen(cited.number, at)} />
        ),
      )}
    </Text>
  );
}

const NO_SOURCES: Citations['sources'] = new Map();

type Piece = { at: number; text: string; cited: { number: number; source: string } | null };

function piecesOf(text: string, sources: Citations['sources']): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(MARK)) {
    const number = Number(match[1]);
    const source = sources.get(number);
    if (source === undefined) continue;
    if (match.index > from) pieces.push({ at: from, text: text.slice(from, match.index), cited: null });
    pieces.push({ at: match.index, text: match[0], cited: { number, source } });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ at: from, text: text.slice(from), cited: null });
  return pieces;
}
