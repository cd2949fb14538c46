import type { Reader } from '#domain/reader.ts';
import { readChart } from './chart.ts';
import { readDiagram } from './diagram.ts';
import { hiddenCount } from '#providers/readers/shared/hidden-count.ts';
import { htmlToMarkdown } from '#providers/readers/shared/html-to-markdown.ts';
import { PPTX } from '#providers/readers/shared/media-types.ts';
import {
  decodePartName,
  mainPartOf,
  readPackageRelationships,
  type PackageRelationships,
} from './package-relationships.ts';
import { pptxSlideHtml } from './pptx-slide.ts';
import { TextBuilder } from '#providers/readers/shared/text-builder.ts';
import {
  childrenOf,
  descendantsOf,
  escapeXml,
  parseXml,
  textOf,
  type XmlElement,
} from '#providers/readers/shared/xml.ts';
import { openZip, type ZipArchive } from '#providers/readers/shared/zip/zip-archive.ts';

/** Assumed ratio of XML to text; limits the inflated size of the parts. */
const MARKUP_RATIO = 8;
const PRESENTATION = 'ppt/presentation.xml';

/**
 * Reads PowerPoint presentations: one page per slide with its title as heading, lists, tables, chart values, diagram
 * texts, notes and comments. Reads no external resources. Hidden slides are counted, not read; they are empty pages, so that the
 * others keep their numbers.
 */
export const pptxReader: Reader = {
  name: 'pptx',
  mediaTypes: [PPTX],
  async read({ path }, { maxTextBytes }) {
    const archive = await openZip(path, {
      formatName: 'PowerPoint presentation',
      maxBytes: maxTextBytes * MARKUP_RATIO,
    });
    const builder = new TextBuilder(maxTextBytes);
    const slides = await slidePaths(archive);
    let hidden = 0;
    let hasHeading = false;
    for (const [index, slide] of slides.entries()) {
      builder.startPage(index + 1);
      const html = await readSlide(archive, slide, hasHeading ? `Slide ${index + 1}` : null);
      if (html === null) hidden += 1;
      if (html === null) continue;
      hasHeading ||= html.startsWith('<h1>');
      const { markdown } = await htmlToMarkdown(html, { isOffice: true });
      if (markdown !== '') builder.append(`${markdown}\n`);
    }
    return builder.build({ page_count: slides.length, ...hiddenCount('slide', hidden) });
  },
};

/** Paths of the slides in the order of the presentation, which differs from the order of their names. */
async function slidePaths(archive: ZipArchive): Promise<string[]> {
  const presentation = await mainPartOf(archive, PRESENTATION);
  const xml = await archive.text(presentation);
  const relations = await readPackageRelationships(archive, presentation);
  const ids =
    xml === null ? [] : descendantsOf(await parseXml(xml), 'p:sldId').map(({ attributes }) => attributes['r:id']);
  const listed = ids.map((id) => relations.get(id ?? '')?.path).filter((path) => path !== undefined);
  if (listed.length > 0) return listed;
  const number = (name: string): number => Number(/(\d+)\.xml$/.exec(name)?.[1] ?? 0);
  const slides = archive.names.filter((name) => /^ppt\/slides\/slide\d+\.xml$/.test(name));
  return slides.sort((a, b) => number(a) - number(b));
}

/**
 * The HTML of a slide; null if it is hidden. `untitled` is the heading of a slide without one, where its text would otherwise be
 * below that of an earlier slide.
 */
async function readSlide(archive: ZipArchive, path: string, untitled: string | null): Promise<string | null> {
  const xml = await archive.text(path);
  if (xml === null) return '';
  const slide = await parseXml(xml);
  if (['0', 'false'].includes(slide.attributes['show'] ?? '')) return null;
  const relations = await readPackageRelationships(archive, path);
  const charts = await chartHtml(archive, relations);
  const html = pptxSlideHtml(slide, charts, { takesTitle: untitled !== null });
  const whole = html + (await notesHtml(archive, relations)) + (await commentsHtml(archive, relations));
  return untitled === null || whole === '' || html.startsWith('<h1>') ? whole : `<h1>${untitled}</h1>${whole}`;
}

/** The HTML of charts and diagrams by relationship id, for insertion where the slide shows them. */
async function chartHtml(archive: ZipArchive, relations: PackageRelationships): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const [id, { type, path }] of relations) {
    if (type.endsWith('/diagramData')) found.set(id, await diagramHtml(archive, path));
    if (!type.endsWith('/chart')) continue;
    const xml = await archive.text(decodePartName(path));
    const chart = xml === null ? null : await readChart(xml);
    if (!chart) continue;
    const rows = chart.grid.map((row) => `<tr>${row.map((cell) => `<td>${escapeXml(cell)}</td>`).join('')}</tr>`);
    const title = chart.title === '' ? '' : `<p>${escapeXml(chart.title)}</p>`;
    found.set(id, `${title}<p>${chart.kind}</p><table>${rows.join('')}</table>`);
  }
  return found;
}

async function diagramHtml(archive: ZipArchive, path: string): Promise<string> {
  const xml = await archive.text(path);
  const texts = xml === null ? [] : await readDiagram(xml);
  return texts.length === 0 ? '' : `<ul>${texts.map((text) => `<li>${escapeXml(text)}</li>`).join('')}</ul>`;
}

/** The comments of reviewers and the replies to them, in the older and the present form, each as a paragraph. */
async function commentsHtml(archive: ZipArchive, relations: PackageRelationships): Promise<string> {
  const comments: string[] = [];
  for (const { type, path } of relations.values()) {
    const xml = type.endsWith('/comments') ? await archive.text(path) : null;
    if (xml === null) continue;
    const root = await parseXml(xml, { dropsPrefixes: true });
    const texts = descendantsOf(root, 'cm').flatMap((comment) => [
      ...childrenOf(comment, 'text', 'txBody'),
      ...descendantsOf(comment, 'reply').flatMap((reply) => childrenOf(reply, 'txBody')),
    ]);
    comments.push(...texts.map(commentText).filter((text) => text !== ''));
  }
  return comments.map((text) => `<p>Comment: ${escapeXml(text)}</p>`).join('');
}

function commentText(element: XmlElement): string {
  const runs = descendantsOf(element, 'p').map((paragraph) => descendantsOf(paragraph, 't').map(textOf).join(''));
  return (element.name === 'text' ? textOf(element) : runs.join(' ')).replace(/\s+/g, ' ').trim();
}

/** The speaker notes, without the slide number that PowerPoint adds. */
async function notesHtml(archive: ZipArchive, relations: PackageRelationships): Promise<string> {
  const notes = [...relations.values()].find(({ type }) => type.endsWith('/notesSlide'));
  const xml = notes && (await archive.text(notes.path));
  if (!xml) return '';
  const shapes = descendantsOf(await parseXml(xml), 'p:sp').filter((shape) =>
    descendantsOf(shape, 'p:ph').some(({ attributes }) => attributes['type'] === 'body'),
  );
  const paragraphs = shapes
    .flatMap((shape) => descendantsOf(shape, 'a:p'))
    .map((paragraph) => descendantsOf(paragraph, 'a:t').map(textOf).join(''))
    .filter((text) => text.trim() !== '');
  if (paragraphs.length === 0) return '';
  return `<p>Notes: ${paragraphs.map(escapeXml).join('</p><p>')}</p>`;
}
