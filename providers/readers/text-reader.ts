import type { Reader } from '../../domain/reader.ts';
import { readTextFile } from './decode-text.ts';
import { CODE_TYPES, languageOf } from './media-types.ts';
import { TextBuilder } from './text-builder.ts';

/** Plain text as it is; source code inside a fence, so that its comments are not taken for headings. */
export const textReader: Reader = {
  name: 'text',
  mediaTypes: ['text/*', ...CODE_TYPES],
  async read({ path, mediaType }, { maxTextBytes }) {
    const { text, charset } = await readTextFile(path, maxTextBytes);
    const language = languageOf(mediaType);
    const builder = new TextBuilder(maxTextBytes).append(language === null ? text : fenced(text, language));
    return builder.build({
      ...(language === null ? {} : { language }),
      ...(charset === 'utf-8' ? {} : { charset }),
    });
  },
};

/** A code block whose fence is longer than any run of backticks in it. */
function fenced(code: string, language: string): string {
  const longest = (code.match(/`{3,}/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${code.trimEnd()}\n${fence}\n`;
}
