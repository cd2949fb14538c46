import { readFile, stat } from 'node:fs/promises';
import { AppError } from '#domain/app-error.ts';
import type { Reader } from '#domain/reader.ts';
import { htmlToMarkdown } from '#providers/readers/shared/html-to-markdown.ts';
import { RTF } from '#providers/readers/shared/media-types.ts';
import { rtfToHtml } from './rtf-to-html.ts';
import { outputLimitError, TextBuilder } from '#providers/readers/shared/text-builder.ts';

/** Pictures are written as digits inside. */
const MARKUP_RATIO = 16;

/** Rich Text Format: headings by style or outline level, emphasis, tables. Pictures, objects and fields' instructions are skipped. */
export const rtfReader: Reader = {
  name: 'rtf',
  mediaTypes: [RTF, 'text/rtf'],
  async read({ path }, { maxTextBytes }) {
    const { size } = await stat(path);
    if (size > maxTextBytes * MARKUP_RATIO) throw outputLimitError(maxTextBytes);
    const source = (await readFile(path)).toString('latin1');
    if (!/\{\s*\\rtf/.test(source.slice(0, 256))) {
      throw new AppError('unreadable', 'The RTF document does not begin as one. Save it anew and upload it again.');
    }
    const html = rtfToHtml(source, maxTextBytes * 2);
    if (html === null) throw outputLimitError(maxTextBytes);
    return new TextBuilder(maxTextBytes).append((await htmlToMarkdown(html)).markdown).build();
  },
};
