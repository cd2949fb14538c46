import type { Reader } from '#domain/reader.ts';
import { readTextFile } from '#providers/readers/shared/decode-text.ts';
import { fencedCode } from '#providers/readers/shared/fenced-code.ts';
import { CODE_TYPES, languageOf } from '#providers/readers/shared/media-types.ts';
import { TextBuilder } from '#providers/readers/shared/text-builder.ts';
import { xmlCharset } from '#providers/readers/shared/charset/xml-charset.ts';

/**
 * Reads plain text unchanged, and source code as a fenced code block, so that its comments are not read as headings.
 */
export const textReader: Reader = {
  name: 'text',
  mediaTypes: ['text/*', ...CODE_TYPES],
  async read(input, { maxTextBytes }) {
    const language = languageOf(input.mediaType);
    const declaredCharset = language === 'xml' ? xmlCharset : undefined;
    const { text, charset } = await readTextFile(input, maxTextBytes, declaredCharset);
    const builder = new TextBuilder(maxTextBytes).append(language === null ? text : fencedCode(text, language));
    return builder.build({
      ...(language === null ? {} : { language }),
      ...(charset === 'utf-8' ? {} : { charset }),
    });
  },
};
