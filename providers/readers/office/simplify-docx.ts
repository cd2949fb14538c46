import {
  childOf,
  childrenOf,
  descendantsOf,
  isElement,
  type XmlElement,
  type XmlNode,
} from '#providers/readers/shared/xml.ts';

/** Around text that is text of the document: simple fields, text of a direction. */
const WRAPPERS = new Set(['w:fldSimple', 'w:dir', 'w:bdo']);

/**
 * Puts what mammoth passes over in a form that it reads: fields and stretches of right-to-left text are opened, of a word with
 * its pronunciation the word stays, and a text box without a version for old programs becomes one.
 */
export function simplifyDocx(element: XmlElement): void {
  element.children = element.children.flatMap((child) => {
    if (!isElement(child)) return [child];
    simplifyDocx(child);
    if (WRAPPERS.has(child.name)) return child.children;
    if (child.name === 'w:r') return withoutRuby(child);
    return child.name === 'mc:AlternateContent' ? [oneVersion(child)] : [child];
  });
}

/** The run in pieces: those of the words stand beside it, not inside. */
function withoutRuby(run: XmlElement): XmlNode[] {
  if (!run.children.some((child) => isElement(child) && child.name === 'w:ruby')) return [run];
  const properties = childrenOf(run, 'w:rPr');
  return run.children.flatMap((child): XmlNode[] => {
    if (!isElement(child) || child.name === 'w:rPr') return [];
    if (child.name === 'w:ruby') return childOf(child, 'w:rubyBase')?.children ?? [];
    return [{ ...run, children: [...properties, child] }];
  });
}

/** Text boxes come in two versions with the same text: only one may be read, or counted. */
function oneVersion(alternatives: XmlElement): XmlElement {
  const [fallback, choice] = ['mc:Fallback', 'mc:Choice'].map((name) => childOf(alternatives, name));
  const boxes = descendantsOf(choice, 'w:txbxContent');
  if (boxes.length === 0) return alternatives;
  const isInBoth = descendantsOf(fallback, 'w:txbxContent').length > 0;
  if (fallback && isInBoth) return { ...alternatives, children: [fallback] };
  return { name: 'w:pict', attributes: {}, children: boxes };
}
