import { type DocxStyle, hiddenOf } from './docx-styles.ts';
import { childOf, childrenOf, descendantsOf, isElement, type XmlElement } from '#providers/readers/shared/xml.ts';

/** What a hidden run keeps: the marks of a field, which may have its other marks in visible runs. */
const FIELD_PARTS = new Set(['w:rPr', 'w:fldChar', 'w:instrText']);

/**
 * Removes text that Word hides (`w:vanish`), by the run or by the style of its characters or its paragraph. Both styles
 * together show it again, because it is a toggle property (ECMA-376, part 1, 17.7.3). A hidden paragraph without other text is
 * removed as a whole, so that it gets no number.
 */
export function removeHiddenText(parent: XmlElement, styles: ReadonlyMap<string, DocxStyle>): void {
  parent.children = parent.children.filter((child) => {
    if (!isElement(child)) return true;
    if (child.name === 'w:p') return !hideRuns(child, styles);
    removeHiddenText(child, styles);
    return true;
  });
}

/** Hides the runs of a paragraph; returns whether it is hidden as a whole. */
function hideRuns(paragraph: XmlElement, styles: ReadonlyMap<string, DocxStyle>): boolean {
  const properties = childOf(paragraph, 'w:pPr');
  const styleOf = (reference: XmlElement | undefined): boolean =>
    styles.get(reference?.attributes['w:val'] ?? '')?.isHidden === true;
  const isStyleHidden = styleOf(childOf(properties, 'w:pStyle'));
  let [hasText, hasHidden] = [false, false];
  const visit = (parent: XmlElement): void => {
    for (const child of childrenOf(parent)) {
      if (child.name !== 'w:r') {
        // Text boxes have paragraphs of their own.
        if (child.name !== 'w:pPr') visit(child);
        continue;
      }
      const own = childOf(child, 'w:rPr');
      const isHidden = hiddenOf(own) ?? isStyleHidden !== styleOf(childOf(own, 'w:rStyle'));
      if (isHidden) child.children = child.children.filter((part) => isElement(part) && FIELD_PARTS.has(part.name));
      else for (const box of descendantsOf(child, 'w:txbxContent')) removeHiddenText(box, styles);
      if (isHidden) hasHidden = true;
      else hasText = true;
    }
  };
  visit(paragraph);
  const isMarkHidden = hiddenOf(childOf(properties, 'w:rPr')) ?? isStyleHidden;
  return hasHidden && !hasText && isMarkHidden && childOf(properties, 'w:sectPr') === undefined;
}
