import {
  childOf,
  childrenOf,
  descendantsOf,
  isElement,
  type XmlElement,
  type XmlNode,
} from '#providers/readers/shared/xml.ts';

/** Elements that enclose text of the document: simple fields, bidirectional text. */
const WRAPPERS = new Set(['w:fldSimple', 'w:dir', 'w:bdo']);

/**
 * Converts what mammoth skips into a form that it reads: replaces fields and bidirectional runs by their content, ruby
 * text by its base text, and a text box without a fallback for older programs by that fallback.
 */
export function simplifyDocx(element: XmlElement): void {
  element.children = element.children.flatMap((child) => {
    if (!isElement(child)) return [child];
    simplifyDocx(child);
    if (WRAPPERS.has(child.name)) return child.children;
    if (child.name === 'w:r') return withoutRuby(child);
    return child.name === 'mc:AlternateContent' ? [textBoxVersion(child)] : [child];
  });
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
