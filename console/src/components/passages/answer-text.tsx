import { Text } from '@mantine/core';
import { CitationButton, type Citations, MarkdownText } from '../markdown/markdown-text.tsx';

const MARK = /\[(\d+)\]/g;

export type AnswerTextProps = {
  text: string;
  citations: Citations;
  /** Sentences of documents are shown as they are, what a model wrote with its Markdown. */
  isVerbatim: boolean;
};

/** The text of an answer. Its marks open the passages that they cite. */
export function AnswerText({ text, citations, isVerbatim }: AnswerTextProps) {
  return isVerbatim ? (
    <VerbatimText text={text} citations={citations} />
  ) : (
    <MarkdownText text={text} citations={citations} />
  );
}

function VerbatimText({ text, citations: { sources, onOpen } }: { text: string; citations: Citations }) {
  return (
    <Text className="break-anywhere" style={{ whiteSpace: 'pre-wrap' }} lh={1.65}>
      {piecesOf(text, sources).map(({ at, text: piece, cited }) =>
        cited === null ? (
          <span key={at}>{piece}</span>
        ) : (
          <CitationButton key={at} {...cited} onClick={() => onOpen(cited.number, at)} />
        ),
      )}
    </Text>
  );
}

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
