import { AppError } from '#domain/app-error.ts';
import { decodeHtml } from '#providers/readers/shared/decode-html.ts';
import { decodeText } from '#providers/readers/shared/decode-text.ts';
import { htmlToMarkdown, removeTitle } from '#providers/readers/shared/html-to-markdown.ts';
import { outputLimitError } from '#providers/readers/shared/text-builder.ts';
import { isElement, type XmlElement } from '#providers/readers/shared/xml.ts';
import type { ZipArchive } from '#providers/readers/shared/zip/zip-archive.ts';
import { rtfToHtml } from './rtf-to-html.ts';

/** Encloses the number of a chunk where it stands in the text: a private use character, which documents do not contain. */
const CHUNK_MARK = '\uE0F2';
const MARKED = `${CHUNK_MARK}(\\d{1,6})${CHUNK_MARK}`;
const MARKED_BLOCK = new RegExp(`(?:^|\\n\\n)${MARKED}(?=\\n\\n|\\n?$)`, 'g');
const MARKED_WORD = new RegExp(MARKED, 'g');
const MAX_CHUNKS = 1_000;
const HEAD_BYTES = 1_000;

/**
 * Replaces each `w:altChunk` (ECMA-376, part 1, 17.17.2.1), which is a document of another format within this one, by a
 * paragraph with its mark. Returns the names of their parts by number.
 */
export function markDocxChunks(document: XmlElement, paths: ReadonlyMap<string, string>): string[] {
  const parts: string[] = [];
  const visit = (parent: XmlElement): void => {
    parent.children = parent.children.map((child) => {
      if (!isElement(child)) return child;
      if (child.name !== 'w:altChunk') {
        visit(child);
        return child;
      }
      const text = `${CHUNK_MARK}${parts.length}${CHUNK_MARK}`;
      parts.push(paths.get(child.attributes['r:id'] ?? '') ?? '');
      const run = { name: 'w:r', attributes: {}, children: [{ name: 'w:t', attributes: {}, children: [text] }] };
      return { name: 'w:p', attributes: {}, children: [run] };
    });
  };
  visit(document);
  return parts;
}

type ChunkReading = {
  archive: ZipArchive;
  /** Reads a chunk that is a Word document. */
  readDocument: (chunk: ZipArchive) => Promise<string>;
  maxTextBytes: number;
};

/** Puts the text of each chunk in the place of its mark; within a table cell, on one line. */
export async function insertDocxChunks(
  markdown: string,
  parts: readonly string[],
  reading: ChunkReading,
): Promise<string> {
  const texts: string[] = [];
  for (const part of parts.slice(0, MAX_CHUNKS)) texts.push((await readChunk(part, reading)).trim());
  // Each chunk stands in one place: a mark that is text of the document repeats nothing.
  const take = (number: string): string => texts.splice(Number(number), 1, '')[0] ?? '';
  return markdown
    .replace(MARKED_BLOCK, (mark, number: string) => {
      const text = take(number);
      return text !== '' && mark.startsWith('\n') ? `\n\n${text}` : text;
    })
    .replace(MARKED_WORD, (_, number: string) => take(number).replace(/\s+/g, ' ').replaceAll('|', '\\|'));
}

/** The rest of a document is read without a chunk that is damaged. */
async function readChunk(part: string, reading: ChunkReading): Promise<string> {
  const bytes = await reading.archive.read(part);
  if (bytes === null) return '';
  return chunkMarkdown(bytes, reading).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'read_output_limit') throw error;
    return '';
  });
}

/** The format is told by the bytes: file names and declared types of chunks are often wrong. */
async function chunkMarkdown(bytes: Buffer, { archive, readDocument, maxTextBytes }: ChunkReading): Promise<string> {
  const head = bytes.subarray(0, HEAD_BYTES).toString('latin1').trimStart();
  if (head.startsWith('PK\u0003\u0004')) return readDocument(await archive.openPackage(bytes));
  if (head.startsWith('{\\rtf')) {
    const html = rtfToHtml(bytes.toString('latin1'), maxTextBytes * 2);
    if (html === null) throw outputLimitError(maxTextBytes);
    return htmlMarkdown(html);
  }
  if (/^(?:mime-version|from|content-type):/im.test(head) && /^[\w-]+:/.test(head)) return mhtmlMarkdown(bytes);
  if (/<[a-z!?]/i.test(head)) return htmlMarkdown(decodeHtml(bytes).text);
  return decodeText(bytes).text;
}

/** A web archive: the page is the first part of HTML (RFC 2557). */
async function mhtmlMarkdown(bytes: Buffer): Promise<string> {
  const { default: PostalMime } = await import('postal-mime');
  const { html, text = '' } = await PostalMime.parse(bytes, { maxNestingDepth: 8 });
  return html === undefined ? text : htmlMarkdown(html);
}

async function htmlMarkdown(html: string): Promise<string> {
  return (await htmlToMarkdown(removeTitle(html), { isOffice: true })).markdown;
}
