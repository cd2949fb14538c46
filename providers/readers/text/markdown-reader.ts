import type { Reader } from '#domain/reader.ts';
import { removeDataUris } from '#providers/readers/shared/data-uris.ts';
import { readTextFile } from '#providers/readers/shared/decode-text.ts';
import { removeMarkdownComments } from './markdown-comments.ts';
import { TextBuilder } from '#providers/readers/shared/text-builder.ts';

const FRONT_MATTER = /^---\n([\s\S]*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/;
const TITLE = /^title:[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\n]*))$/m;
const MAX_TITLE_LENGTH = 300;

/**
 * Reads Markdown unchanged except for comments and the bytes of embedded images, which are removed. The title of YAML front matter becomes a note, and
 * front matter stays as text.
 */
export const markdownReader: Reader = {
  name: 'markdown',
  mediaTypes: ['text/markdown'],
  async read(input, { maxTextBytes }) {
    const { text, charset } = await readTextFile(input, maxTextBytes);
    const lines = text.replace(/\r\n?/g, '\n');
    const [frontMatter, yaml] = FRONT_MATTER.exec(lines) ?? [];
    const title = yaml === undefined ? '' : titleOf(yaml);
    const body = removeMarkdownComments(frontMatter === undefined ? lines : lines.slice(frontMatter.length));
    const builder = new TextBuilder(maxTextBytes);
    // As a paragraph its keys stay searchable; between dashes a parser would read its last line as a heading.
    if (yaml !== undefined) builder.append(`${yaml.trim()}\n\n`);
    builder.append(removeDataUris(body));
    return builder.build({ ...(charset === 'utf-8' ? {} : { charset }), ...(title === '' ? {} : { title }) });
  },
};

function titleOf(yaml: string): string {
  const [, double, single, bare] = TITLE.exec(yaml) ?? [];
  return (double ?? single ?? bare ?? '').trim().slice(0, MAX_TITLE_LENGTH);
}
