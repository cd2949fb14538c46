import { readFile, stat } from 'node:fs/promises';
import type { Reader } from '#domain/reader.ts';
import { decodeText } from '#providers/readers/shared/decode-text.ts';
import { htmlToMarkdown } from '#providers/readers/shared/html-to-markdown.ts';
import { outputLimitError, TextBuilder } from '#providers/readers/shared/text-builder.ts';

/** Browsers search this many bytes for the declaration too. */
const DECLARATION_BYTES = 4096;
const DECLARED_CHARSET = /<(?:meta|\?xml)[^>]*(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)/i;
/** A page larger than this many times the text limit is rejected unread. */
const MARKUP_RATIO = 8;

/** Reads HTML pages as Markdown. Nothing is fetched: images, frames, styles and scripts are removed. */
export const htmlReader: Reader = {
  name: 'html',
  mediaTypes: ['text/html'],
  async read({ path, mainText = false }, { maxTextBytes }) {
    const { size } = await stat(path);
    if (size > maxTextBytes * MARKUP_RATIO) throw outputLimitError(maxTextBytes);
    const bytes = await readFile(path);
    const start = bytes.subarray(0, DECLARATION_BYTES).toString('latin1');
    const { text, charset } = decodeText(bytes, DECLARED_CHARSET.exec(start)?.[1]);
    const { markdown, title } = await htmlToMarkdown(text, { mainText });
    const builder = new TextBuilder(maxTextBytes).append(markdown);
    return builder.build({ ...(title === '' ? {} : { title }), ...(charset === 'utf-8' ? {} : { charset }) });
  },
};
