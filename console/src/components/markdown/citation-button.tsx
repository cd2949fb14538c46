import { UnstyledButton } from '@mantine/core';
import { markdownTexts } from '../../texts/markdown-texts.ts';

/** What marks such as `[1]` in a text stand for. */
export type Citations = {
  /** The names of the sources by their numbers; other marks are text. */
  sources: ReadonlyMap<number, string>;
  /** `at` is where the mark is in the text, if that is known. */
  onOpen: (number: number, at: number | undefined) => void;
};

/** The mark of a citation, which opens the passage. */
export function CitationButton({ number, source, onClick }: { number: number; source: string; onClick: () => void }) {
  return (
    <UnstyledButton
      component="button"
      className="citation-mark"
      title={source}
      aria-label={markdownTexts.mark(number, source)}
      onClick={onClick}
    >
      {number}
    </UnstyledButton>
  );
}
