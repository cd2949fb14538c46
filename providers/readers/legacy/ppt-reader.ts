import { readFile, stat } from 'node:fs/promises';
import type { CFB } from '@e965/xlsx';
import { AppError } from '#domain/app-error.ts';
import type { Reader } from '#domain/reader.ts';
import { htmlToMarkdown } from '#providers/readers/shared/html-to-markdown.ts';
import { PPT } from '#providers/readers/shared/media-types.ts';
import { outputLimitError, TextBuilder } from '#providers/readers/shared/text-builder.ts';
import { escapeXml } from '#providers/readers/shared/xml.ts';
import { readPptFile, type PptSlide } from './ppt-file.ts';
import type { PptShape } from './ppt-shapes.ts';
import type { PptParagraph } from './ppt-text.ts';

/** Assumed ratio of the file, with its pictures, to the text. */
const MARKUP_RATIO = 32;

/** Reads PowerPoint presentations of the binary format (97 to 2003): titles, lists, tables, notes and comments, slide by slide. */
export const pptReader: Reader = {
  name: 'ppt',
  mediaTypes: [PPT],
  async read({ path }, { maxTextBytes }) {
    const { size } = await stat(path);
    if (size > maxTextBytes * MARKUP_RATIO) throw outputLimitError(maxTextBytes);
    const xlsx = await import('@e965/xlsx');
    const slides = slidesOf(xlsx.CFB, await readFile(path));
    const builder = new TextBuilder(maxTextBytes);
    for (const [index, slide] of slides.entries()) {
      builder.startPage(index + 1);
      const { markdown } = await htmlToMarkdown(slideHtml(slide), { isOffice: true });
      builder.append(markdown.trim() === '' ? '' : `${markdown.trim()}\n\n`);
    }
    return builder.build({ page_count: slides.length });
  },
};

function slidesOf(compound: typeof CFB, bytes: Buffer): PptSlide[] {
  try {
    const file = compound.read(bytes, { type: 'buffer' });
    return readPptFile((name) => {
      const { content } = compound.find(file, `/${name}`) ?? {};
      return content ? Buffer.from(content) : null;
    });
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const message =
      'The PowerPoint presentation is damaged or truncated. Open it in PowerPoint, save it as .pptx and upload that.';
    throw new AppError('unreadable', message, { cause });
  }
}

function slideHtml({ shapes, notes, comments }: PptSlide): string {
  const isTitle = (shape: PptShape): boolean => shape.kind === 'title';
  const title = shapes
    .filter(isTitle)
    .flatMap((shape) => (shape.kind === 'table' ? [] : shape.paragraphs))
    .map(({ text }) => text.replace(/\s+/g, ' ').trim())
    .join(' ')
    .trim();
  const written = notes.map(({ text }) => text.trim()).filter((text) => text !== '');
  return [
    title === '' ? '' : `<h1>${escapeXml(title)}</h1>`,
    ...shapes.filter((shape) => !isTitle(shape)).map(shapeHtml),
    written.length === 0 ? '' : `<p>Notes: ${written.map(escapeXml).join('</p><p>')}</p>`,
    ...comments.map((text) => `<p>Comment: ${escapeXml(text.replace(/\s+/g, ' ').trim())}</p>`),
  ].join('');
}

function shapeHtml(shape: PptShape): string {
  if (shape.kind !== 'table') return paragraphsHtml(shape.paragraphs, shape.kind === 'body');
  const cellHtml = (cell: readonly PptParagraph[]): string =>
    `<td>${cell.map(({ text }) => lineHtml(text)).join('<br>')}</td>`;
  return `<table>${shape.rows.map((row) => `<tr>${row.map(cellHtml).join('')}</tr>`).join('')}</table>`;
}

/** Paragraphs of a body are items of a list unless they say otherwise; a single one is none. */
function paragraphsHtml(paragraphs: readonly PptParagraph[], isBody: boolean): string {
  const filled = paragraphs.filter(({ text }) => text.trim() !== '');
  let depth = 0;
  let html = '';
  const closeTo = (wanted: number): void => {
    for (; depth > wanted; depth -= 1) html += '</li></ul>';
  };
  for (const { text, level, isItem } of filled) {
    if (!(isItem ?? (isBody && filled.length > 1))) {
      closeTo(0);
      html += `<p>${lineHtml(text)}</p>`;
      continue;
    }
    const wanted = Math.min(level + 1, depth + 1);
    closeTo(wanted);
    html += depth === wanted ? `</li><li>${lineHtml(text)}` : `<ul><li>${lineHtml(text)}`;
    depth = wanted;
  }
  closeTo(0);
  return html;
}

/** A vertical tab is a line break. */
function lineHtml(text: string): string {
  return escapeXml(text.trim()).replaceAll('\v', '<br>');
}
