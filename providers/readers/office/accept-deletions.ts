import { childOf, descendantsOf, isElement, type XmlElement, type XmlNode } from '#providers/readers/shared/xml.ts';

/** Tracked changes by which content leaves its place: a deletion, and a move to another place. */
const DELETIONS = new Set(['w:del', 'w:moveFrom']);
/** Elements between paragraphs that are not content: bookmarks, and the ends of comments and tracked moves. */
const RANGE_MARK = /^w:(?:bookmark(?:Start|End)|\w+Range(?:Start|End)|proofErr)$/;

/**
 * Removes what tracked changes delete or move away, so that nothing of it is read or counted. A paragraph whose mark is deleted
 * continues in the next one, of which it takes the properties (ECMA-376, part 1, 17.13.5.15).
 */
export function acceptDeletions(parent: XmlElement): void {
  const children: XmlNode[] = [];
  let open: XmlElement | null = null;
  const closeParagraph = (): void => {
    if (open !== null && descendantsOf(open, 'w:r').length > 0) children.push(open);
    open = null;
  };
  for (const child of parent.children) {
    if (isElement(child)) {
      if (isDeleted(child)) continue;
      // Properties have elements of the same names as marks.
      if (!child.name.endsWith('Pr')) acceptDeletions(child);
      if (child.name === 'w:tbl' && childOf(child, 'w:tr') === undefined) continue;
      if (child.name === 'w:p') {
        const paragraph: XmlElement = open === null ? child : joinParagraphs(open, child);
        open = isMarkDeleted(paragraph) ? withoutMark(paragraph) : null;
        if (open === null) children.push(paragraph);
        continue;
      }
      if (!RANGE_MARK.test(child.name)) closeParagraph();
    }
    children.push(child);
  }
  closeParagraph();
  parent.children = children;
}

/** Deleted text, or a deleted row of a table. */
function isDeleted(element: XmlElement): boolean {
  return DELETIONS.has(element.name) || (element.name === 'w:tr' && hasDeletion(childOf(element, 'w:trPr')));
}

function isMarkDeleted(paragraph: XmlElement): boolean {
  return hasDeletion(childOf(childOf(paragraph, 'w:pPr'), 'w:rPr'));
}

function hasDeletion(properties: XmlElement | undefined): boolean {
  return properties?.children.some((child) => isElement(child) && DELETIONS.has(child.name)) === true;
}

function joinParagraphs(first: XmlElement, second: XmlElement): XmlElement {
  const isProperties = (child: XmlNode): boolean => isElement(child) && child.name === 'w:pPr';
  const content = [first, second].flatMap(({ children }) => children.filter((child) => !isProperties(child)));
  return { ...second, children: [...second.children.filter(isProperties), ...content] };
}

/** Should no paragraph follow, it ends where it is. */
function withoutMark(paragraph: XmlElement): XmlElement {
  const properties = childOf(paragraph, 'w:pPr');
  const rest = paragraph.children.filter((child) => child !== properties);
  if (properties === undefined) return paragraph;
  const others = properties.children.filter((child) => !isElement(child) || child.name !== 'w:rPr');
  return { ...paragraph, children: [{ ...properties, children: others }, ...rest] };
}
