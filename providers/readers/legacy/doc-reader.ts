import { readFile, stat } from 'node:fs/promises';
import type { CFB } from '@e965/xlsx';
import { AppError } from '#domain/app-error.ts';
import type { Reader } from '#domain/reader.ts';
import { htmlToMarkdown } from '#providers/readers/shared/html-to-markdown.ts';
import { DOC } from '#providers/readers/shared/media-types.ts';
import { outputLimitError, TextBuilder } from '#providers/readers/shared/text-builder.ts';
import { escapeXml } from '#providers/readers/shared/xml.ts';
import { readDocFile, type DocParagraph, type DocParts } from './doc-file.ts';

/** Assumed ratio of the file, with its pictures, to the text. */
const MARKUP_RATIO = 32;
const HEADINGS = 9;
/** Other control characters, in place of pictures, notes and comments, are removed with those of any text. */
const [FIELD_START, FIELD_RESULT, FIELD_END] = ['\u0013', '\u0014', '\u0015'];
const FIELD_MARK = new RegExp(`([${FIELD_START}-${FIELD_END}])`);

/** Reads Word documents of the binary format (Word 97 to 2003): headings, tables, notes, comments, text boxes. */
export const docReader: Reader = {
  name: 'doc',
  mediaTypes: [DOC],
  async read({ path }, { maxTextBytes }) {
    const { size } = await stat(path);
    if (size > maxTextBytes * MARKUP_RATIO) throw outputLimitError(maxTextBytes);
    const xlsx = await import('@e965/xlsx');
    const { text, ...others } = partsOf(xlsx.CFB, await readFile(path));
    const html = [text, others.footnotes, others.endnotes, others.boxes, others.comments].map(htmlOf).join('');
    const { markdown } = await htmlToMarkdown(html, { isOffice: true });
    return new TextBuilder(maxTextBytes).append(markdown).build();
  },
};

function partsOf(compound: typeof CFB, bytes: Buffer): DocParts {
  try {
    const file = compound.read(bytes, { type: 'buffer' });
    return readDocFile((name) => {
      const { content } = compound.find(file, `/${name}`) ?? {};
      return content ? Buffer.from(content) : null;
    });
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const message = 'The Word document is damaged or truncated. Open it in Word, save it as .docx and upload that.';
    throw new AppError('unreadable', message, { cause });
  }
}

/** Paragraphs in a table belong to the next cell; that of a row end has no text. */
function htmlOf(paragraphs: readonly DocParagraph[]): string {
  const out: string[] = [];
  let cell = '';
  let row = '';
  let isInTable = false;
  const endTable = (): void => {
    if (cell !== '') row += `<td>${cell}</td>`;
    if (isInTable) out.push(row === '' ? '</table>' : `<tr>${row}</tr></table>`);
    [cell, row, isInTable] = ['', '', false];
  };
  for (const paragraph of paragraphs) {
    const html = paragraphHtml(paragraph);
    if (paragraph.ends === 'paragraph' && !paragraph.isInTable) {
      endTable();
      out.push(html);
      continue;
    }
    if (!isInTable) out.push('<table>');
    isInTable = true;
    if (paragraph.ends !== 'row') cell += html;
    if (paragraph.ends === 'cell') [row, cell] = [`${row}<td>${cell}</td>`, ''];
    if (paragraph.ends === 'row') {
      out.push(`<tr>${row}</tr>`);
      row = '';
    }
  }
  endTable();
  return out.join('');
}

function paragraphHtml({ text, style }: DocParagraph): string {
  const shown = escapeXml(withoutFieldCodes(text).replaceAll('\u001E', '\u2011')).replaceAll('\v', '<br>').trim();
  if (shown === '') return '';
  const isHeading = style >= 1 && style <= HEADINGS;
  return isHeading ? `<h${Math.min(6, style)}>${shown}</h${Math.min(6, style)}>` : `<p>${shown}</p>`;
}

/** Of a field, such as a link or a page number, only the result is shown. Fields may be nested. */
function withoutFieldCodes(text: string): string {
  if (!text.includes(FIELD_START)) return text;
  const isResult: boolean[] = [];
  let shown = '';
  for (const part of text.split(FIELD_MARK)) {
    if (part === FIELD_START) isResult.push(false);
    else if (part === FIELD_RESULT && isResult.length > 0) isResult[isResult.length - 1] = true;
    else if (part === FIELD_END) isResult.pop();
    else if (isResult.every(Boolean)) shown += part;
  }
  return shown;
}
