import { posix } from 'node:path';
import { readChart } from './chart.ts';
import { readDiagram } from './diagram.ts';
import { markDocxChunks } from './docx-chunks.ts';
import { markDocxCode } from './docx-code.ts';
import { removeHiddenText } from './hidden-text.ts';
import { type DocxNumbering, readDocxNumbering } from './docx-numbering.ts';
import { type DocxStyle, readNumberingReference, readDocxStyles } from './docx-styles.ts';
import { prepareDocxTables } from './docx-tables.ts';
import {
  mainPartOf,
  partOfType,
  readPackageRelationships,
  relationshipsPartOf,
  resolveTarget,
} from './package-relationships.ts';
import { simplifyDocx } from './simplify-docx.ts';
import { LIST_LABEL } from '#providers/readers/shared/list-label.ts';
import { ommlToLatex } from './omml-to-latex.ts';
import {
  childOf,
  childrenOf,
  descendantsOf,
  isElement,
  parseXml,
  serializeXml,
  type XmlElement,
} from '#providers/readers/shared/xml.ts';
import { packZip, type ZipArchive } from '#providers/readers/shared/zip/zip-archive.ts';

const DOCUMENT = 'word/document.xml';
/** The parts that mammoth reads; images and fonts are omitted. */
const TEXT_PART = /^(?:\[Content_Types\]\.xml|_rels\/\.rels|word\/(?:_rels\/)?[^/]+\.(?:xml|rels))$/;
const NOTES = ['footnotes', 'endnotes', 'comments'];
const MAX_PARTS = 200;

export type PreparedDocx = {
  /** The package for mammoth. */
  buffer: Buffer;
  /** Heading levels of styles that are headings although their names do not say so, by style id. */
  headingStyles: ReadonlyMap<string, number>;
  hasTitle: boolean;
  /** The parts whose documents are to be inserted, by the numbers of their marks in the text. */
  chunks: readonly string[];
};

type Preparation = {
  archive: ZipArchive;
  styles: ReadonlyMap<string, DocxStyle>;
  numbering: DocxNumbering;
  /** Part names by relationship id. */
  paths: ReadonlyMap<string, string>;
};

/**
 * Rewrites the document for mammoth: adds as plain text what mammoth does not read, that is the numbers of headings and
 * list items, equations (as LaTeX) and the values of charts; and marks code. List levels start at 0 and increase by at
 * most one.
 */
export async function prepareDocx(archive: ZipArchive): Promise<PreparedDocx> {
  const parts = new Map<string, Buffer>();
  for (const name of archive.names.filter((part) => TEXT_PART.test(part)).slice(0, MAX_PARTS)) {
    const bytes = await archive.read(name);
    if (bytes) parts.set(name, bytes);
  }
  const text = (name: string): string | null => parts.get(name)?.toString('utf8') ?? null;
  const documentPart = await mainPartOf(archive, DOCUMENT);
  const relations = await readPackageRelationships(archive, documentPart);
  const partOf = (type: string): string => partOfType(relations, type, `word/${type}.xml`);
  const styles = await readDocxStyles(text(partOf('styles')));
  const source = text(documentPart);
  const headingStyles = new Map<string, number>();
  for (const [id, { name, headingLevel }] of styles) {
    if (headingLevel !== null && !/^heading [1-9]$/i.test(name) && name !== 'Title')
      headingStyles.set(id, headingLevel);
  }
  if (source === null) return { buffer: packZip(parts), headingStyles, hasTitle: false, chunks: [] };
  const document = await parseXml(source);
  simplifyDocx(document);
  removeHiddenText(document, styles);
  prepareDocxTables(document);
  const numbering = await readDocxNumbering(text(partOf('numbering')));
  const paths = new Map([...relations].map(([id, { path }]) => [id, path]));
  const chunks = markDocxChunks(document, paths);
  await hideInNotes(parts, NOTES.map(partOf), styles);
  markDocxCode(document, styles);
  const titles = new Set([...styles].filter(([, { name }]) => name === 'Title').map(([id]) => id));
  await prepareBlocks(document, { archive, styles, numbering, paths });
  const hasTitle = descendantsOf(document, 'w:pStyle').some(({ attributes }) => titles.has(attributes['w:val'] ?? ''));
  parts.set(documentPart, xmlPart(document));
  for (const part of ['', documentPart]) await resolveTargets(parts, part);
  return { buffer: packZip(parts), headingStyles, hasTitle, chunks };
}

function xmlPart(root: XmlElement): Buffer {
  return Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>${serializeXml(root)}`);
}

/** Writes the part names of the targets, which mammoth does not find by `./styles.xml` or `../word/styles.xml`. */
async function resolveTargets(parts: Map<string, Buffer>, part: string): Promise<void> {
  const name = relationshipsPartOf(part);
  const xml = parts.get(name)?.toString('utf8');
  if (xml === undefined || !/Target\s*=\s*["'][^"']*(?:\.\/|%)/.test(xml)) return;
  const relationships = await parseXml(xml);
  for (const { attributes } of childrenOf(relationships, 'Relationship'))
    if (attributes['TargetMode'] !== 'External')
      attributes['Target'] = `/${resolveTarget(posix.dirname(part), attributes['Target'] ?? '')}`;
  parts.set(name, xmlPart(relationships));
}

async function hideInNotes(
  parts: Map<string, Buffer>,
  names: readonly string[],
  styles: ReadonlyMap<string, DocxStyle>,
): Promise<void> {
  const hasHiddenStyle = [...styles.values()].some(({ isHidden }) => isHidden);
  for (const name of names) {
    const bytes = parts.get(name);
    if (bytes === undefined || !(hasHiddenStyle || bytes.includes('w:vanish'))) continue;
    const notes = await parseXml(bytes.toString('utf8'));
    removeHiddenText(notes, styles);
    parts.set(name, xmlPart(notes));
  }
}

/** Visits paragraphs in document order, in which Word counts numbers. */
async function prepareBlocks(parent: XmlElement, preparation: Preparation): Promise<void> {
  const children: XmlElement['children'] = [];
  let levelBefore = -1;
  for (const child of parent.children) {
    children.push(child);
    if (!isElement(child)) continue;
    if (child.name !== 'w:p') {
      await prepareBlocks(child, preparation);
      if (child.name === 'w:tbl') levelBefore = -1;
      continue;
    }
    levelBefore = prepareParagraph(child, preparation, levelBefore);
    prepareMath(child);
    for (const chart of descendantsOf(child, 'c:chart')) children.push(...(await chartBlocks(chart, preparation)));
    for (const diagram of descendantsOf(child, 'dgm:relIds'))
      children.push(...(await diagramBlocks(diagram, preparation)));
    // Text boxes contain paragraphs of their own.
    for (const box of descendantsOf(child, 'w:txbxContent')) await prepareBlocks(box, preparation);
  }
  parent.children = children;
}

/** Inserts the number of the paragraph into its text; returns its list level, -1 for none. */
function prepareParagraph(paragraph: XmlElement, { styles, numbering }: Preparation, levelBefore: number): number {
  const properties = childOf(paragraph, 'w:pPr');
  const style = styles.get(childOf(properties, 'w:pStyle')?.attributes['w:val'] ?? '');
  const own = readNumberingReference(properties);
  const listId = own.listId ?? style?.list?.listId;
  if (listId === undefined || listId === '0') return -1;
  const level = own.level ?? style?.list?.level ?? 0;
  const label = numbering.nextLabel(listId, level);
  if (style?.headingLevel != null) {
    if (properties)
      properties.children = properties.children.filter((child) => !isElement(child) || child.name !== 'w:numPr');
    if (label !== null) insertText(paragraph, `${label.replace(/\.$/, '')} `);
    return -1;
  }
  const shown = Math.min(level, levelBefore + 1);
  const ilvl = childOf(childOf(properties, 'w:numPr'), 'w:ilvl');
  if (ilvl && shown !== level) ilvl.attributes['w:val'] = String(shown);
  if (label !== null) insertText(paragraph, `${LIST_LABEL}${label}${LIST_LABEL}`);
  return shown;
}

function insertText(paragraph: XmlElement, text: string): void {
  const place = paragraph.children.findIndex((child) => isElement(child) && child.name === 'w:pPr') + 1;
  paragraph.children.splice(place, 0, runElement(text));
}

function prepareMath(element: XmlElement): void {
  const formulas = descendantsOf(element, 'm:oMath').length;
  const hasText = descendantsOf(element, 'w:t').length > 0;
  const replace = (parent: XmlElement): void => {
    parent.children = parent.children.flatMap((child) => {
      if (!isElement(child)) return [child];
      if (child.name === 'm:oMathPara') {
        replace(child);
        return child.children;
      }
      if (child.name !== 'm:oMath') {
        replace(child);
        return [child];
      }
      const latex = ommlToLatex(child);
      if (latex === '') return [];
      const isInline = hasText || element.name !== 'w:p';
      return [
        runElement(isInline ? `$${latex}$` : `$$${latex}$$`),
        ...(isInline || formulas === 1 ? [] : [lineBreak()]),
      ];
    });
  };
  if (formulas > 0) replace(element);
}

async function chartBlocks(chart: XmlElement, { archive, paths }: Preparation): Promise<XmlElement[]> {
  const path = paths.get(chart.attributes['r:id'] ?? '');
  const xml = path === undefined ? null : await archive.text(path);
  const found = xml === null ? null : await readChart(xml);
  if (!found) return [];
  const rows = found.grid.map((row) =>
    createElement(
      'w:tr',
      row.map((text) => createElement('w:tc', [paragraphOf(text)])),
    ),
  );
  return [
    ...(found.title === '' ? [] : [paragraphOf(found.title)]),
    paragraphOf(found.kind),
    createElement('w:tbl', rows),
  ];
}

async function diagramBlocks(diagram: XmlElement, { archive, paths }: Preparation): Promise<XmlElement[]> {
  const xml = await archive.text(paths.get(diagram.attributes['r:dm'] ?? '') ?? '');
  return xml === null ? [] : (await readDiagram(xml)).map(paragraphOf);
}

function paragraphOf(text: string): XmlElement {
  return createElement('w:p', [runElement(text)]);
}

function runElement(text: string): XmlElement {
  return createElement('w:r', [{ name: 'w:t', attributes: { 'xml:space': 'preserve' }, children: [text] }]);
}

function lineBreak(): XmlElement {
  return createElement('w:r', [createElement('w:br', [])]);
}

function createElement(name: string, children: XmlElement[]): XmlElement {
  return { name, attributes: {}, children };
}
