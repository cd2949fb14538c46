import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_DIR } from '#stack/loci-services.ts';

/** Reads a file of the project. */
export function readDocument(path: string): string {
  return readFileSync(join(PROJECT_DIR, path), 'utf8');
}

/** The cells of all table rows of a Markdown text, without the separator rows. */
export function tableRows(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^[|\s:-]+$/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

/** The text below a heading, up to the next heading of the same or a higher level. */
export function section(text: string, heading: string): string {
  const level = heading.indexOf(' ');
  const from = text.indexOf(`\n${heading}\n`);
  if (from === -1) throw new Error(`There is no heading "${heading}".`);
  const body = text.slice(from + heading.length + 2);
  const end = body.search(new RegExp(`^#{1,${level}} `, 'm'));
  return end === -1 ? body : body.slice(0, end);
}

/** The contents of the `sh` code blocks of a Markdown text. */
export function shellBlocks(text: string): string[] {
  return codeBlocks(text, 'sh');
}

/** The contents of the code blocks in a language, without the indentation that they have in a list. */
export function codeBlocks(text: string, language: string): string[] {
  const blocks = text.matchAll(new RegExp(`^( *)\`\`\`${language}\\n(.*?)^\\1\`\`\`$`, 'gms'));
  return [...blocks].map(([, indent = '', code = '']) => code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));
}
