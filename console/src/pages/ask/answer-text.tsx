import { Text, UnstyledButton } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { askTexts } from '../../texts/ask-texts.ts';

const MARK = /\[(\d+)\]/g;
type AnswerPassage = Schemas['AnswerPassage'];

export type AnswerTextProps = {
  text: string;
  passages: readonly AnswerPassage[];
  /** `at` is where the mark is in the text. */
  onOpen: (passage: AnswerPassage, at: number) => void;
};

/** The text of an answer. Its marks open the passages that they cite; everything else is shown as text. */
export function AnswerText({ text, passages, onOpen }: AnswerTextProps) {
  return (
    <Text className="break-anywhere" style={{ whiteSpace: 'pre-wrap' }} lh={1.65}>
      {piecesOf(text, passages).map(({ at, text: piece, passage }) =>
        passage === null ? (
          <span key={at}>{piece}</span>
        ) : (
          <UnstyledButton
            key={at}
            component="button"
            className="citation-mark"
            title={passage.source}
            aria-label={askTexts.mark(passage.number, passage.source)}
            onClick={() => onOpen(passage, at)}
          >
            {passage.number}
          </UnstyledButton>
        ),
      )}
    </Text>
  );
}

type Piece = { at: number; text: string; passage: AnswerPassage | null };

function piecesOf(text: string, passages: readonly AnswerPassage[]): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(MARK)) {
    const passage = passages.find(({ number }) => number === Number(match[1]));
    if (passage === undefined) continue;
    if (match.index > from) pieces.push({ at: from, text: text.slice(from, match.index), passage: null });
    pieces.push({ at: match.index, text: match[0], passage });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ at: from, text: text.slice(from), passage: null });
  return pieces;
}
