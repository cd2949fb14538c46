import type { parseHTML as ParseHtml } from 'linkedom';
import { markCheckBoxes } from './html/check-boxes.ts';
import { closeEmptyElements, isXhtml } from './html/close-empty-elements.ts';
import { flattenHtml } from './flatten-html.ts';
import { unwrapLayoutTables } from './layout-tables.ts';
import { unmarkListLabels } from './list-label.ts';
import { replaceMath } from './replace-math.ts';
import { placeStreamedContent } from './html/streamed-content.ts';
import { extractMainText } from './main-text.ts';
import { createTurndown } from './turndown.ts';
import { cleanText } from './text-builder.ts';

/** Elements that are never text of the page: code, styles, embedded media, form controls. */
const NOT_TEXT =
  'script,style,noscript,template,iframe,object,embed,svg,canvas,audio,video,picture source,map,link,meta,title,' +
  'input:not([type=checkbox]),select,textarea,datalist,dialog:not([open]),[hidden],annotation-xml,' +
  // Pronunciation between the characters of a word (ruby).
  'rt,rp';
/** Elements around the text of a page: menus, banners, legal notices. Removed as long as other text is left. */
const NAVIGATION = 'nav,[role=navigation],[role=banner],[role=contentinfo],[role=search],[aria-hidden=true],menu';
const PAGE_EDGES = 'header,footer';
const BUTTON_HEADINGS = 'h1,h2,h3,h4,h5,h6,summary,dt';
const DISCLOSURE_BUTTON = ['aria-expanded', 'aria-controls']
  .map((name) => `button[${name}]:not([aria-haspopup],[role=tab])`)
  .join(',');
/** Matches a `style` attribute that hides its element. */
export const HIDDEN_STYLE = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;
const MAX_TITLE_LENGTH = 300;
/** Longer runs of white space carry no meaning, and the converter takes quadratic time for them. */
const LONG_WHITE_SPACE = /(?<!\s)\s{1000,}/g;

type Root = ReturnType<typeof ParseHtml>['document']['documentElement'];

export type HtmlAsMarkdown = {
  markdown: string;
  /** The text of the page's `<title>`; empty when there is none. */
  title: string;
};

export type HtmlOptions = {
  /** Keeps only the main content of a page. */
  mainText?: boolean;
  /** The HTML was made from an office document, whose tables are never the layout of a page. */
  isOffice?: boolean;
};

/**
 * Converts an HTML page to Markdown. Keeps headings, lists, tables, code and emphasis, and removes what is not text of
 * the page. A page without a first-level heading gets its title as one. Fetches nothing.
 */
export async function htmlToMarkdown(
  html: string,
  { mainText = false, isOffice = false }: HtmlOptions = {},
): Promise<HtmlAsMarkdown> {
  const { parseHTML } = await import('linkedom');
  const turndown = await createTurndown();
  const closed = isXhtml(html) ? await closeEmptyElements(html) : html;
  const flat = await flattenHtml(cleanText(closed).replace(LONG_WHITE_SPACE, shortenWhiteSpace));
  // One element around everything keeps fragments and text outside <html>, and guarantees a root.
  const { document } = parseHTML(`<x-page>${flat}</x-page>`);
  const root: Root = document.documentElement;
  const title = oneLine(root.querySelector('title')?.textContent ?? '').slice(0, MAX_TITLE_LENGTH);
  placeStreamedContent(root);
  replaceMath(root);
  removeElements(root, NOT_TEXT);
  unwrapButtons(root);
  removeElements(root, 'button');
  for (const element of root.querySelectorAll('[style]')) {
    if (HIDDEN_STYLE.test(element.getAttribute('style') ?? '')) element.remove();
  }
  markCheckBoxes(root);
  unwrapLayoutTables(root, { isOffice });
  const whole = withoutNavigation(root);
  const main = mainText ? await extractMainText(whole, title) : null;
  const body = main?.root ?? whole;
  const hasHeading = body.querySelector('h1') !== null;
  const markdown = trimWhiteSpace(unmarkListLabels(convert(turndown, body)));
  return { markdown: title !== '' && !hasHeading && markdown !== '' ? `# ${title}\n\n${markdown}` : markdown, title };
}

/**
 * The page without its first `<title>`. Searches by hand, because a pattern takes quadratic time on unclosed titles.
 */
export function removeTitle(html: string): string {
  const start = /<title[\s>]/i.exec(html)?.index;
  if (start === undefined) return html;
  const end = /<\/title\s*>/i.exec(html.slice(start));
  return end ? html.slice(0, start) + html.slice(start + end.index + end[0].length) : html;
}

/** A button that shows what follows it is the heading of that; others are controls, as those beside the text of a heading. */
function unwrapButtons(root: Root): void {
  for (const heading of root.querySelectorAll(BUTTON_HEADINGS)) {
    const buttons = [...heading.querySelectorAll('button')];
    if (wordsOf(heading) !== buttons.map(wordsOf).join('')) continue;
    for (const button of buttons) button.replaceWith(...button.childNodes);
  }
  for (const button of root.querySelectorAll(DISCLOSURE_BUTTON)) {
    if (button.closest(`${NAVIGATION},${PAGE_EDGES},${BUTTON_HEADINGS}`) !== null) continue;
    const block = root.ownerDocument.createElement('div');
    block.append(...button.childNodes);
    button.replaceWith(block);
  }
}

function wordsOf(element: Root): string {
  return element.textContent.replace(/[^\p{L}\p{N}]+/gu, '');
}

function shortenWhiteSpace(run: string): string {
  return run.includes('\n') ? '\n\n' : ' ';
}

/** A page nested thousands of levels deep overflows the converter's stack; its plain text is returned instead. */
function convert(turndown: Awaited<ReturnType<typeof createTurndown>>, body: Root): string {
  try {
    return turndown.turndown(body);
  } catch (error) {
    if (error instanceof RangeError) return body.textContent ?? '';
    throw error;
  }
}

/** The page without navigation; the page itself when nothing else is left. */
function withoutNavigation(root: Root): Root {
  if (root.querySelector(`${NAVIGATION},${PAGE_EDGES}`) === null) return root;
  const copy = root.cloneNode(true);
  removeElements(copy, NAVIGATION);
  for (const edge of copy.querySelectorAll(PAGE_EDGES)) {
    const partOfText = edge.closest('article,main,section,[role=main]') !== null;
    if (!partOfText && edge.querySelector('h1,h2') === null) edge.remove();
  }
  return (copy.textContent ?? '').trim() === '' ? root : copy;
}

function removeElements(root: Root, selector: string): void {
  for (const element of root.querySelectorAll(selector)) element.remove();
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Removes trailing white space and surrounding empty lines. */
function trimWhiteSpace(markdown: string): string {
  const text = markdown.replace(/(?<![ \t\u00a0])[ \t\u00a0]+$/gm, '').trim();
  return text === '' ? '' : `${text}\n`;
}
