import type { Reader } from '#domain/reader.ts';
import { readTextFile } from '#providers/readers/shared/decode-text.ts';
import { ASCIIDOC, LATEX, ORG, RESTRUCTURED_TEXT } from '#providers/readers/shared/media-types.ts';
import { cleanText, TextBuilder } from '#providers/readers/shared/text-builder.ts';
import { asciidocToMarkdown } from './asciidoc-to-markdown.ts';
import { orgToMarkdown } from './org-to-markdown.ts';
import { rstToMarkdown } from './rst-to-markdown.ts';
import { texToMarkdown } from './tex-to-markdown.ts';

const CONVERTERS: ReadonlyMap<string, (text: string) => string> = new Map([
  [RESTRUCTURED_TEXT, rstToMarkdown],
  [ORG, orgToMarkdown],
  [ASCIIDOC, asciidocToMarkdown],
  [LATEX, texToMarkdown],
]);

/** Reads reStructuredText, Org, AsciiDoc and LaTeX as Markdown. Files that they include are not read. */
export const textMarkupReader: Reader = {
  name: 'text_markup',
  mediaTypes: [...CONVERTERS.keys()],
  async read(input, { maxTextBytes }) {
    const { text, charset } = await readTextFile(input, maxTextBytes);
    const convert = CONVERTERS.get(input.mediaType);
    const source = cleanText(text).replaceAll('\t', '    ');
    const markdown = (convert ? convert(source) : source).replace(/\n{3,}/g, '\n\n').trim();
    const builder = new TextBuilder(maxTextBytes).append(markdown === '' ? '' : `${markdown}\n`);
    return builder.build(charset === 'utf-8' ? {} : { charset });
  },
};
