import { acceptDeletions } from './accept-deletions.ts';
import { fontOf } from './docx-styles.ts';
import { isSymbolFont, symbolText } from '#providers/readers/shared/symbol-fonts.ts';
import {
  childOf,
  childrenOf,
  descendantsOf,
  isElement,
  textOf,
  type XmlElement,
  type XmlNode,
} from '#providers/readers/shared/xml.ts';

/** Elements that enclose text of the document: simple fields, bidirectional text. */
const WRAPPERS = new Set(['w:fldSimple', 'w:dir', 'w:bdo']);
/** What separates words and is unknown to mammoth: tabs to an alignment, old line breaks. */
const SEPARATORS: ReadonlyMap<string, string> = new Map([
  ['w:ptab', 'w:tab'],
  ['w:cr', 'w:br'],
]);

/**
 * Converts what mammoth skips into a form that it reads: accepts tracked deletions, replaces fields and bidirectional runs by
 * their content, ruby text by its base text, and a text box without a fallback for older programs by that fallback.
 */
export function simplifyDocx(document: XmlElement): void {
  acceptDeletions(document);
  simplify(document);
}

function simplify(element: XmlElement): void {
  element.children = element.children.flatMap((child): XmlNode[] => {
    if (!isElement(child)) return [child];
    simplify(child);
    if (WRAPPERS.has(child.name)) return child.children;
    const separator = SEPARATORS.get(child.name);
    if (separator !== undefined) return [{ name: separator, attributes: {}, children: [] }];
    switch (child.name) {
      case 'w:p':
        keepInnerBreaks(child);
        return [child];
      case 'w:r':
        showSymbols(child);
        return withoutRuby(child);
      case 'w:fldChar':
        return [child, ...selectedText(child)];
      case 'w:drawing':
        return [withReadableBoxes(child)];
      case 'mc:AlternateContent':
        return [textBoxVersion(child)];
      default:
        return [child];
    }
  });
}

/** Page and column breaks, which mammoth skips, become line breaks between words. */
function keepInnerBreaks(paragraph: XmlElement): void {
  let hasText = false;
  let breaks: XmlElement[] = [];
  const visit = (parent: XmlElement): void => {
    for (const child of childrenOf(parent)) {
      if (child.name === 'w:br' && child.attributes['w:type'] !== undefined) breaks.push(child);
      else if (child.name === 'w:t' && textOf(child).trim() !== '') {
        if (hasText) for (const found of breaks) delete found.attributes['w:type'];
        [hasText, breaks] = [true, []];
      } else if (child.name !== 'w:pict' && child.name !== 'mc:AlternateContent') visit(child);
    }
  };
  visit(paragraph);
}

/** The entry that is selected in a drop-down list of a form, at the beginning of its field. */
function selectedText(fieldMark: XmlElement): XmlElement[] {
  const list = childOf(childOf(fieldMark, 'w:ffData'), 'w:ddList');
  if (list === undefined) return [];
  const selected = childOf(list, 'w:result') ?? childOf(list, 'w:default');
  const entry = childrenOf(list, 'w:listEntry')[Number(selected?.attributes['w:val'] ?? 0)];
  const text = entry?.attributes['w:val'] ?? '';
  return [{ name: 'w:t', attributes: { 'xml:space': 'preserve' }, children: [text] }];
}

/** Replaces the letters of a run in a symbol font by the characters that they show. */
function showSymbols(run: XmlElement): void {
  const font = fontOf(childOf(run, 'w:rPr'));
  if (font === null || !isSymbolFont(font)) return;
  for (const text of childrenOf(run, 'w:t')) text.children = [symbolText(font, textOf(text))];
}

/** Splits the run: the base text of ruby becomes a sibling of the run, not a child. */
function withoutRuby(run: XmlElement): XmlNode[] {
  if (!run.children.some((child) => isElement(child) && child.name === 'w:ruby')) return [run];
  const properties = childrenOf(run, 'w:rPr');
  return run.children.flatMap((child): XmlNode[] => {
    if (!isElement(child) || child.name === 'w:rPr') return [];
    if (child.name === 'w:ruby') return childOf(child, 'w:rubyBase')?.children ?? [];
    return [{ ...run, children: [...properties, child] }];
  });
}

/** Text boxes come in two versions with the same text, only one of which may be read or counted. */
function textBoxVersion(alternatives: XmlElement): XmlElement {
  const [fallback, choice] = ['mc:Fallback', 'mc:Choice'].map((name) => childOf(alternatives, name));
  const boxes = descendantsOf(choice, 'w:txbxContent');
  if (boxes.length === 0) return alternatives;
  const isInBoth = descendantsOf(fallback, 'w:txbxContent').length > 0;
  if (fallback && isInBoth) return { ...alternatives, children: [fallback] };
  return { name: 'w:pict', attributes: {}, children: boxes };
}

/** Mammoth looks for text boxes in pictures of the older form only. Charts and diagrams beside them are inserted later. */
function withReadableBoxes(drawing: XmlElement): XmlElement {
  const parts = ['w:txbxContent', 'c:chart', 'dgm:relIds'].map((name) => descendantsOf(drawing, name));
  return parts[0]?.length === 0 ? drawing : { name: 'w:pict', attributes: {}, children: parts.flat() };
}
