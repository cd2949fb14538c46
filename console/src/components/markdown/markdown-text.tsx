import { type ComponentProps, createContext, memo, type ReactNode, useContext, useDeferredValue } from 'react';
import Markdown, { type Components, type ExtraProps } from 'react-markdown';
import remarkBreaks from 'remark-breaks';
import remarkGfm from 'remark-gfm';
import { markdownTexts } from '../../texts/markdown-texts.ts';
import { CitationButton, type Citations } from './citation-button.tsx';
import { citationMarks } from './citation-marks.ts';
import { isTooNested } from './is-too-nested.ts';
import { VerbatimText } from './verbatim-text.tsx';
import { withoutHtml } from './without-html.ts';

const CitationsContext = createContext<Citations | null>(null);
/** The lines of a text are kept, as many programs write no Markdown. The places of marks are known until then. */
const PLUGINS = [withoutHtml, remarkGfm, citationMarks, remarkBreaks];
/** Longer texts are no answers: parsing them takes seconds, and they are shown as they are. */
const MAX_CHARACTERS = 20_000;
const OPENABLE = /^(?:https?|mailto):/i;

/**
 * A text of a model or of a program, with its Markdown. No HTML is made of it but the elements of Markdown: tags are shown as they
 * are written, images are not loaded, and links say where they lead. Pieces of an answer that arrive while what is there is parsed
 * are parsed together, and typing and clicking go before it.
 */
export function MarkdownText({ text, citations = null }: { text: string; citations?: Citations | null }) {
  const shown = useDeferredValue(text);
  return (
    <CitationsContext value={citations}>
      <div className="markdown">
        <Parsed text={shown} />
      </div>
    </CitationsContext>
  );
}

/** Parsed again only when the text is another one. */
const Parsed = memo(function Parsed({ text }: { text: string }) {
  return parse(text) ?? <Unparsed text={text} />;
});

function Unparsed({ text }: { text: string }) {
  return <VerbatimText text={text} citations={useContext(CitationsContext)} />;
}

/** Returns the elements of a text; null for one that is to be shown as it is. */
function parse(text: string): ReactNode {
  if (text.length > MAX_CHARACTERS || isTooNested(text)) return null;
  try {
    // Called as the function that it is, so that what a text makes it throw does not end the page.
    return Markdown({ children: text, remarkPlugins: PLUGINS, components, urlTransform: (url) => url });
  } catch {
    return null;
  }
}

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

/** A link whose text does not begin with its host also shows that, so that nobody is led astray. */
function Link({ node, children }: Element<'a'>): ReactNode {
  const { href: written } = node?.properties ?? {};
  if (typeof written !== 'string' || !OPENABLE.test(written) || !URL.canParse(written)) return children;
  // As it is read here: without slashes, `https:elsewhere` would be an address of this server.
  const { href, host, pathname } = new URL(written);
  const target = host === '' ? pathname : host;
  const isNamed = isNamedIn(textOf(node), target);
  return (
    <>
      <a href={href} title={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
      {isNamed ? null : ` (${target})`}
    </>
  );
}

/** The text may be the address, with or without its protocol: `microsoft.com` contains `t.co`, but is another host. */
function isNamedIn(text: string, target: string): boolean {
  const address = text.trim().toLowerCase().replace(OPENABLE, '').replace(/^\/\//, '');
  return address.startsWith(target) && /^(?:[/?#]|$)/.test(address.slice(target.length));
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
