import { readFile, stat } from 'node:fs/promises';
import type { Reader } from '#domain/reader.ts';
import { decodeHtml } from '#providers/readers/shared/decode-html.ts';
import { htmlToMarkdown } from '#providers/readers/shared/html-to-markdown.ts';
import { outputLimitError, TextBuilder } from '#providers/readers/shared/text-builder.ts';

/** A page larger than this many times the text limit is rejected unread. */
const MARKUP_RATIO = 8;

/** Reads HTML pages as Markdown. Nothing is fetched: images, frames, styles and scripts are removed. */
export const htmlReader: Reader = {
  name: 'html',
  mediaTypes: ['text/html'],
  async read({ path, mainText = false }, { maxTextBytes }) {
    const { size } = await stat(path);
    if (size > maxTextBytes * MARKUP_RATIO) throw outputLimitError(maxTextBytes);
    const { text, charset } = decodeHtml(await readFile(path));
    const { markdown, title } = await htmlToMarkdown(text, { mainText });
    const builder = new TextBuilder(maxTextBytes).append(markdown);
    return builder.build({ ...(title === '' ? {} : { title }), ...(charset === 'utf-8' ? {} : { charset }) });
  },
};
