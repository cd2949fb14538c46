import { readFile, stat } from 'node:fs/promises';
import { AppError } from '#domain/app-error.ts';
import type { Reader } from '#domain/reader.ts';
import { htmlToMarkdown } from '#providers/readers/shared/html-to-markdown.ts';
import { RTF } from '#providers/readers/shared/media-types.ts';
import { rtfToHtml } from './rtf-to-html.ts';
import { outputLimitError, TextBuilder } from '#providers/readers/shared/text-builder.ts';

/** Assumed ratio of RTF to text: pictures are embedded as hexadecimal digits. */
const MARKUP_RATIO = 16;

/**
 * Reads Rich Text Format: headings by style or outline level, emphasis, tables. Skips pictures, objects and field
 * instructions.
 */
export const rtfReader: Reader = {
  name: 'rtf',
  mediaTypes: [RTF, 'text/rtf'],
  async read({ path }, { maxTextBytes }) {
    const { size } = await stat(path);
    if (size > maxTextBytes * MARKUP_RATIO) throw outputLimitError(maxTextBytes);
    const source = (await readFile(path)).toString('latin1');
    if (!/\{\s*\\rtf/.test(source.slice(0, 256))) {
      throw new AppError(
        'unreadable',
        'The file does not begin like an RTF document. Save it again as RTF and upload it.',
      );
    }
    const html = rtfToHtml(source, maxTextBytes * 2);
    if (html === null) throw outputLimitError(maxTextBytes);
    return new TextBuilder(maxTextBytes).append((await htmlToMarkdown(html, { isOffice: true })).markdown).build();
  },
};
