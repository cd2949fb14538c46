import type { Citations } from '../markdown/citation-button.tsx';
import { MarkdownText } from '../markdown/markdown-text.tsx';
import { VerbatimText } from '../markdown/verbatim-text.tsx';

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
