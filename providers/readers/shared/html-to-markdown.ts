import type { parseHTML as ParseHtml } from 'linkedom';
import { unmarkListLabels } from './list-label.ts';
import { extractMainText } from './main-text.ts';
import { createTurndown } from './turndown.ts';
import { cleanText } from './text-builder.ts';

/** Never text of the page: code, styles, embedded media, form controls. */
const NOT_TEXT =
  'script,style,noscript,template,iframe,object,embed,svg,canvas,audio,video,picture source,map,link,meta,title,' +
  'input:not([type=checkbox]),select,textarea,button,datalist,dialog:not([open]),[hidden],annotation-xml,' +
  // How a word is pronounced, between its characters.
  'rt,rp';
/** Around the text of a page: menus, banners, legal lines. Dropped as long as something else is left. */
const NAVIGATION = 'nav,[role=navigation],[role=banner],[role=contentinfo],[role=search],[aria-hidden=true],menu';
const PAGE_EDGES = 'header,footer';
/** Of a `style` attribute. */
export const HIDDEN_STYLE = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;
const MAX_TITLE_LENGTH = 300;
/** Longer runs of white space mean nothing, and take the converter quadratic time. */
const LONG_WHITE_SPACE = /(?<!\s)\s{1000,}/g;

type Root = ReturnType<typeof ParseHtml>['document']['documentElement'];

export type HtmlAsMarkdown = {
  markdown: string;
  /** Of the page's `<title>`; empty when there is none. */ title: string;
};

/**
 * Renders an HTML page as Markdown: headings, lists, tables, code and emphasis are kept, what is not its text is
 * dropped. A page without a first-level heading gets its title as one. With `mainText` only what the page is about. Fetches nothing.
 */
export async function htmlToMarkdown(html: string, options: { mainText?: boolean } = {}): Promise<HtmlAsMarkdown> {
  const { parseHTML } = await import('linkedom');
  const turndown = await createTurndown();
  // One element around everything: fragments and stray text beside <html> are kept, and there is always a root.
  const { document } = parseHTML(`<x-page>${cleanText(html).replace(LONG_WHITE_SPACE, shortenWhiteSpace)}</x-page>`);
  const root: Root = document.documentElement;
  const title = oneLine(root.querySelector('title')?.textContent ?? '').slice(0, MAX_TITLE_LENGTH);
  remove(root, NOT_TEXT);
  for (const element of root.querySelectorAll('[style]')) {
    if (HIDDEN_STYLE.test(element.getAttribute('style') ?? '')) element.remove();
  }
  const whole = withoutNavigation(root);
  const main = options.mainText === true ? await extractMainText(whole, title) : null;
  const body = main?.root ?? whole;
  const hasHeading = body.querySelector('h1') !== null;
  const markdown = trimWhiteSpace(unmarkListLabels(convert(turndown, body)));
  return { markdown: title !== '' && !hasHeading && markdown !== '' ? `# ${title}\n\n${markdown}` : markdown, title };
}

/** The page without its first `<title>`. By hand, for a pattern takes quadratic time on titles that never end. */
export function removeTitle(html: string): string {
  const start = /<title[\s>]/i.exec(html)?.index;
  if (start === undefined) return html;
  const end = /<\/title\s*>/i.exec(html.slice(start));
  return end ? html.slice(0, start) + html.slice(start + end.index + end[0].length) : html;
}

function shortenWhiteSpace(run: string): string {
  return run.includes('\n') ? '\n\n' : ' ';
}

/** A page nested thousands of levels deep overflows the converter's stack; its text is still its text. */
function convert(turndown: Awaited<ReturnType<typeof createTurndown>>, body: Root): string {
  try {
    return turndown.turndown(body);
  } catch (error) {
    if (error instanceof RangeError) return body.textContent ?? '';
    throw error;
  }
}

/** The page without its noise; the page itself when noise is all there is. */
function withoutNavigation(root: Root): Root {
  if (root.querySelector(`${NAVIGATION},${PAGE_EDGES}`) === null) return root;
  const copy = root.cloneNode(true);
  remove(copy, NAVIGATION);
  for (const edge of copy.querySelectorAll(PAGE_EDGES)) {
    const partOfText = edge.closest('article,main,section,[role=main]') !== null;
    if (!partOfText && edge.querySelector('h1,h2') === null) edge.remove();
  }
  return (copy.textContent ?? '').trim() === '' ? root : copy;
}

function remove(root: Root, selector: string): void {
  for (const element of root.querySelectorAll(selector)) element.remove();
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Trailing blanks, and runs of empty lines outside code, carry nothing. */
function trimWhiteSpace(markdown: string): string {
  const text = markdown.replace(/(?<![ \t\u00a0])[ \t\u00a0]+$/gm, '').trim();
  return text === '' ? '' : `${text}\n`;
}
