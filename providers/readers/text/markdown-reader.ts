import type { Reader } from '#domain/reader.ts';
import { readTextFile } from '#providers/readers/shared/decode-text.ts';
import { TextBuilder } from '#providers/readers/shared/text-builder.ts';

const FRONT_MATTER = /^---\n([\s\S]*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/;
const TITLE = /^title:[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\n]*))$/m;
const FENCE = /^(```|~~~)/;
const MAX_TITLE_LENGTH = 300;

/**
 * Reads Markdown unchanged except for comments, which are removed. The title of YAML front matter becomes a note, and
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
    const body = withoutComments(frontMatter === undefined ? lines : lines.slice(frontMatter.length));
    const builder = new TextBuilder(maxTextBytes);
    // As a paragraph its keys stay searchable; between dashes a parser would read its last line as a heading.
    if (yaml !== undefined) builder.append(`${yaml.trim()}\n\n`);
    builder.append(body);
    return builder.build({ ...(charset === 'utf-8' ? {} : { charset }), ...(title === '' ? {} : { title }) });
  },
};

function titleOf(yaml: string): string {
  const [, double, single, bare] = TITLE.exec(yaml) ?? [];
  return (double ?? single ?? bare ?? '').trim().slice(0, MAX_TITLE_LENGTH);
}

/** Removes comments outside code fences, line by line: a pattern over the whole text may take quadratic time. */
function withoutComments(markdown: string): string {
  if (!markdown.includes('<!--')) return markdown;
  const out: string[] = [];
  let fence = '';
  let isComment = false;
  for (const line of markdown.split('\n')) {
    const mark = isComment ? undefined : FENCE.exec(line)?.[1];
    if (mark !== undefined && (fence === '' || line.trim() === fence)) fence = fence === '' ? mark : '';
    if (fence !== '' || mark !== undefined) {
      out.push(line);
      continue;
    }
    const { text, goesOn } = outsideComments(line, isComment);
    if (text !== '' || !isComment) out.push(text);
    isComment = goesOn;
  }
  return out.join('\n');
}

/** The part of a line outside comments, and whether a comment continues on the next line. */
function outsideComments(line: string, startsInside: boolean): { text: string; goesOn: boolean } {
  let text = '';
  let at = 0;
  let isInside = startsInside;
  for (;;) {
    const next = line.indexOf(isInside ? '-->' : '<!--', at);
    if (!isInside) text += line.slice(at, next === -1 ? undefined : next);
    if (next === -1) return { text, goesOn: isInside };
    at = next + (isInside ? 3 : 4);
    isInside = !isInside;
  }
}
