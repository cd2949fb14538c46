import { type ComponentProps, createContext, memo, type ReactNode, useContext } from 'react';
import { UnstyledButton } from '@mantine/core';
import Markdown, { type Components, type ExtraProps } from 'react-markdown';
import remarkBreaks from 'remark-breaks';
import remarkGfm from 'remark-gfm';
import { markdownTexts } from '../../texts/markdown-texts.ts';
import { citationMarks } from './citation-marks.ts';
import { withoutHtml } from './without-html.ts';

/** What marks such as `[1]` in a text stand for. */
export type Citations = {
  /** The names of the sources by their numbers; other marks are text. */
  sources: ReadonlyMap<number, string>;
  /** `at` is where the mark is in the text, if that is known. */
  onOpen: (number: number, at: number | undefined) => void;
};

const CitationsContext = createContext<Citations | null>(null);
/** The lines of a text are kept, as many programs write no Markdown. The places of marks are known until then. */
const PLUGINS = [withoutHtml, remarkGfm, citationMarks, remarkBreaks];
const OPENABLE = /^(?:https?|mailto):/i;

/**
 * A text of a model or of a program, with its Markdown. No HTML is made of it but the elements of Markdown: tags are shown as they
 * are written, images are not loaded, and links say where they lead.
 */
export function MarkdownText({ text, citations = null }: { text: string; citations?: Citations | null }) {
  return (
    <CitationsContext value={citations}>
      <div className="markdown">
        <Parsed text={text} />
      </div>
    </CitationsContext>
  );
}

/** Parsed again only when the text is another one. */
const Parsed = memo(function Parsed({ text }: { text: string }) {
  return (
    <Markdown remarkPlugins={PLUGINS} components={components} urlTransform={(url) => url}>
      {text}
    </Markdown>
  );
});

type Element<Tag extends keyof React.JSX.IntrinsicElements> = ComponentProps<Tag> & ExtraProps;

function Citation({ node, children }: Element<'cite'>): ReactNode {
  const citations = useContext(CitationsContext);
  const { dataNumber, dataAt } = node?.properties ?? {};
  const number = Number(dataNumber);
  const source = citations?.sources.get(number);
  if (citations === null || source === undefined) return children;
  return (
    <CitationButton
      number={number}
      source={source}
      onClick={() => citations.onOpen(number, dataAt === undefined ? undefined : Number(dataAt))}
    />
  );
}

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

/** A link whose text is another one than its address also shows the host, so that nobody is led astray. */
function Link({ node, children }: Element<'a'>): ReactNode {
  const { href } = node?.properties ?? {};
  if (typeof href !== 'string' || !OPENABLE.test(href) || !URL.canParse(href)) return children;
  const { host } = new URL(href);
  const isNamed = host === '' || textOf(node).includes(host);
  return (
    <>
      <a href={href} title={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
      {isNamed ? null : ` (${host})`}
    </>
  );
}

function Table({ children }: Element<'table'>): ReactNode {
  return (
    <div className="markdown-table" role="group" aria-label={markdownTexts.table} tabIndex={0}>
      <table>{children}</table>
    </div>
  );
}

/** The page and the question have the headings of the first and second level; many answers begin with the third. */
const components: Components = {
  h1: 'h3',
  h2: 'h3',
  a: Link,
  cite: Citation,
  img: ({ alt, src }) => alt || (typeof src === 'string' ? src : ''),
  input: ({ checked }) => (checked === true ? '☑' : '☐'),
  pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
  table: Table,
};

type Hast = NonNullable<ExtraProps['node']>;

function textOf(node: Hast | undefined): string {
  const texts = (node?.children ?? []).map((child) =>
    child.type === 'text' ? child.value : child.type === 'element' ? textOf(child) : '',
  );
  return texts.join('');
}
