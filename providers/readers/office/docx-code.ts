import { type DocxStyle, fontOf } from './docx-styles.ts';
import { MAX_MONOSPACED_SHARE, MONOSPACED_FONT_NAME } from '#providers/readers/shared/monospaced-fonts.ts';
import { childOf, descendantsOf, isElement, textOf, type XmlElement } from '#providers/readers/shared/xml.ts';

/** The paragraph style assigned to lines of code. */
export const CODE_STYLE = 'LociCode';
/** A single line may be an address or a command within the text. */
const MIN_LINES = 2;

type Styles = ReadonlyMap<string, DocxStyle>;

/**
 * Assigns `CODE_STYLE` to successive paragraphs that are entirely in a monospaced font, unless the whole document is
 * typed in one.
 */
export function markDocxCode(document: XmlElement, styles: Styles): void {
  const isCode = new Map<XmlElement, boolean>();
  let [total, monospaced] = [0, 0];
  for (const paragraph of descendantsOf(document, 'w:p')) {
    const length = descendantsOf(paragraph, 'w:t').reduce((sum, text) => sum + textOf(text).length, 0);
    const found = length > 0 && isCodeParagraph(paragraph, styles);
    isCode.set(paragraph, found);
    total += length;
    if (found) monospaced += length;
  }
  if (monospaced === 0 || monospaced > total * MAX_MONOSPACED_SHARE) return;
  for (const run of runsOf(document, (child) => isCode.get(child) === true))
    if (run.length >= MIN_LINES) for (const paragraph of run) setStyle(paragraph);
}

function* runsOf(parent: XmlElement, isCode: (child: XmlElement) => boolean): Generator<XmlElement[]> {
  let run: XmlElement[] = [];
  for (const child of parent.children) {
    if (!isElement(child)) continue;
    if (child.name === 'w:p' && isCode(child)) {
      run.push(child);
      continue;
    }
    yield run;
    run = [];
    yield* runsOf(child, isCode);
  }
  yield run;
}

/** Whether the paragraph is body text whose runs with text are all in a monospaced font, directly or by the style. */
function isCodeParagraph(paragraph: XmlElement, styles: Styles): boolean {
  const properties = childOf(paragraph, 'w:pPr');
  const style = styles.get(childOf(properties, 'w:pStyle')?.attributes['w:val'] ?? '');
  if (style?.headingLevel != null || style?.list != null || childOf(properties, 'w:numPr')) return false;
  const runs = descendantsOf(paragraph, 'w:r').filter((run) =>
    descendantsOf(run, 'w:t').some((text) => textOf(text).trim() !== ''),
  );
  return (
    runs.length > 0 &&
    runs.every((run) => {
      const font = fontOf(childOf(run, 'w:rPr'));
      return font === null ? style?.isMonospaced === true : MONOSPACED_FONT_NAME.test(font);
    })
  );
}

function setStyle(paragraph: XmlElement): void {
  const style: XmlElement = { name: 'w:pStyle', attributes: { 'w:val': CODE_STYLE }, children: [] };
  const properties = childOf(paragraph, 'w:pPr');
  if (properties) {
    const others = properties.children.filter((child) => !isElement(child) || child.name !== 'w:pStyle');
    properties.children = [style, ...others];
  } else paragraph.children = [{ name: 'w:pPr', attributes: {}, children: [style] }, ...paragraph.children];
}
