import { MONOSPACED_FONT_NAME } from '#providers/readers/shared/monospaced-fonts.ts';
import { childOf, childrenOf, parseXml, type XmlElement } from '#providers/readers/shared/xml.ts';

export type NumberingReference = { listId: string; level: number };
export type DocxStyle = {
  name: string;
  /** 1 to 9 for headings, by name or outline level, own or inherited; null for body text. */
  headingLevel: number | null;
  list: NumberingReference | null;
  /** Whether its font is monospaced. */
  isMonospaced: boolean;
  /** Whether its text is hidden. */
  isHidden: boolean;
};

const HEADING_NAME = /^heading ([1-9])$/i;

/** Reads the styles of paragraphs and characters by id, including inherited properties (ECMA-376, part 1, 17.7). */
export async function readDocxStyles(xml: string | null): Promise<ReadonlyMap<string, DocxStyle>> {
  const styles = new Map<string, DocxStyle>();
  if (xml === null) return styles;
  const elements = new Map(
    childrenOf(await parseXml(xml), 'w:style').map((style) => [style.attributes['w:styleId'] ?? '', style]),
  );
  for (const id of elements.keys()) styles.set(id, resolveStyle(id, elements));
  return styles;
}

function resolveStyle(id: string, elements: ReadonlyMap<string, XmlElement>): DocxStyle {
  let headingLevel: number | null = null;
  let list: Partial<NumberingReference> = {};
  let font: string | null = null;
  let isHidden: boolean | null = null;
  const seen = new Set<string>();
  for (let at: string | undefined = id; at !== undefined && !seen.has(at);) {
    seen.add(at);
    const style = elements.get(at);
    const properties = childOf(style, 'w:pPr');
    const name = childOf(style, 'w:name')?.attributes['w:val'] ?? '';
    const outline = childOf(properties, 'w:outlineLvl')?.attributes['w:val'];
    const named = HEADING_NAME.exec(name)?.[1];
    headingLevel ??=
      named !== undefined ? Number(named) : outline !== undefined && Number(outline) < 9 ? Number(outline) + 1 : null;
    list = { ...readNumberingReference(properties), ...list };
    font ??= fontOf(childOf(style, 'w:rPr'));
    isHidden ??= hiddenOf(childOf(style, 'w:rPr'));
    at = childOf(style, 'w:basedOn')?.attributes['w:val'];
  }
  const name = childOf(elements.get(id), 'w:name')?.attributes['w:val'] ?? '';
  const { listId, level = 0 } = list;
  const isMonospaced = font !== null && MONOSPACED_FONT_NAME.test(font);
  return {
    name,
    headingLevel,
    list: listId === undefined || listId === '0' ? null : { listId, level },
    isMonospaced,
    isHidden: isHidden === true,
  };
}

/** Reads `w:numPr`; properties that it does not set are absent. */
export function readNumberingReference(properties: XmlElement | undefined): Partial<NumberingReference> {
  const numbering = childOf(properties, 'w:numPr');
  const listId = childOf(numbering, 'w:numId')?.attributes['w:val'];
  const level = childOf(numbering, 'w:ilvl')?.attributes['w:val'];
  return { ...(listId === undefined ? {} : { listId }), ...(level === undefined ? {} : { level: Number(level) }) };
}

/** The font that run properties set; null when they set none. */
export function fontOf(properties: XmlElement | undefined): string | null {
  return childOf(properties, 'w:rFonts')?.attributes['w:ascii'] ?? null;
}

/** Whether run properties hide the text (`w:vanish`); null when they do not say. */
export function hiddenOf(properties: XmlElement | undefined): boolean | null {
  const vanish = childOf(properties, 'w:vanish');
  return vanish === undefined ? null : !/^(?:0|false|off)$/.test(vanish.attributes['w:val'] ?? '1');
}
