import type { Reader } from '../../domain/reader.ts';
import { readTextFile } from './decode-text.ts';
import { TextBuilder } from './text-builder.ts';

const FRONT_MATTER = /^---\n([\s\S]*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/;
const TITLE = /^title:[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\n]*))$/m;
const COMMENT = /<!--[\s\S]*?-->/g;
const MAX_TITLE_LENGTH = 300;

/** Markdown as it is, without comments; the title of YAML front matter becomes a note and front matter stays as text. */
export const markdownReader: Reader = {
  name: 'markdown',
  mediaTypes: ['text/markdown'],
  async read({ path }, { maxTextBytes }) {
    const { text, charset } = await readTextFile(path, maxTextBytes);
    const lines = text.replace(/\r\n?/g, '\n');
    const [frontMatter, yaml] = FRONT_MATTER.exec(lines) ?? [];
    const title = yaml === undefined ? '' : titleOf(yaml);
    const body = withoutComments(frontMatter === undefined ? lines : lines.slice(frontMatter.length));
    const builder = new TextBuilder(maxTextBytes);
    // As a paragraph its keys stay searchable; between dashes a parser would take its last line for a heading.
    if (yaml !== undefined) builder.append(`${yaml.trim()}\n\n`);
    builder.append(body);
    return builder.build({ ...(charset === 'utf-8' ? {} : { charset }), ...(title === '' ? {} : { title }) });
  },
};

function titleOf(yaml: string): string {
  const [, double, single, bare] = TITLE.exec(yaml) ?? [];
  return (double ?? single ?? bare ?? '').trim().slice(0, MAX_TITLE_LENGTH);
}

/** Drops comments outside code fences. */
function withoutComments(markdown: string): string {
  if (!markdown.includes('<!--')) return markdown;
  return markdown
    .split(/(^(?:```|~~~)[\s\S]*?^(?:```|~~~)[ \t]*$)/m)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(COMMENT, '')))
    .join('');
}
