import { AppError } from '#domain/app-error.ts';
import type { Reader } from '#domain/reader.ts';
import { insertDocxChunks } from './docx-chunks.ts';
import { CODE_STYLE } from './docx-code.ts';
import { prepareDocx } from './prepare-docx.ts';
import { htmlToMarkdown } from '#providers/readers/shared/html-to-markdown.ts';
import { DOCX } from '#providers/readers/shared/media-types.ts';
import { TextBuilder } from '#providers/readers/shared/text-builder.ts';
import { openZip, type ZipArchive } from '#providers/readers/shared/zip/zip-archive.ts';

/** Assumed ratio of XML to text; limits the inflated size of the parts. */
const MARKUP_RATIO = 8;

const STYLES = [
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Subtitle'] => p:fresh",
  ...['Code', 'Source Code', 'HTML Preformatted', 'Macro Text', 'Plain Text', 'Code Block', 'macro'].map(
    (name) => `p[style-name='${name}'] => pre:separator('\\n')`,
  ),
  `p.${CODE_STYLE} => pre:separator('\\n')`,
  "r[style-name='Source Text'] => code",
  "r[style-name='HTML Code'] => code",
  'comment-reference => ',
];

/**
 * Image descriptions, which Word generates; links from text to comment, and from notes and comments back to the text.
 */
const NOT_TEXT =
  /<img [^>]*>|<a href="#comment-\d+" id="comment-ref-\d+">[^<]*<\/a>| ?<a href="#[a-z]+-ref-[^"]*">↑<\/a>/g;

/** Documents within documents are read up to this depth. */
const MAX_DEPTH = 3;

/**
 * Reads Word documents: headings and lists with their numbers, tables, notes, comments, equations, chart values,
 * diagram texts, embedded chunks of HTML, RTF and Word. Ignores images and hidden text, and never reads external
 * resources.
 */
export const docxReader: Reader = {
  name: 'docx',
  mediaTypes: [DOCX],
  async read({ path }, { maxTextBytes }) {
    const archive = await openZip(path, { formatName: 'Word document', maxBytes: maxTextBytes * MARKUP_RATIO });
    const markdown = await documentMarkdown(archive, { maxTextBytes, depth: 1 });
    return new TextBuilder(maxTextBytes).append(markdown).build();
  },
};

async function documentMarkdown(
  archive: ZipArchive,
  { maxTextBytes, depth }: { maxTextBytes: number; depth: number },
): Promise<string> {
  const { buffer, headingStyles, hasTitle, chunks } = await prepareDocx(archive);
  const { default: mammoth } = await import('mammoth');
  const ignoreImages = mammoth.images.imgElement(() => Promise.resolve({ src: '' }));
  const styleMap = [...STYLES, ...headingMap(headingStyles, hasTitle ? 1 : 0)];
  const options = { styleMap, convertImage: ignoreImages, externalFileAccess: false };
  const { value: html } = await mammoth.convertToHtml({ buffer }, options).catch((error: unknown) => {
    throw new AppError('unreadable', 'The Word document is damaged. Open it in Word, save it again and upload it.', {
      cause: error,
    });
  });
  const { markdown } = await htmlToMarkdown(html.replace(NOT_TEXT, ''), { isOffice: true });
  if (chunks.length === 0) return markdown;
  const readDocument = (chunk: ZipArchive): Promise<string> =>
    depth < MAX_DEPTH ? documentMarkdown(chunk, { maxTextBytes, depth: depth + 1 }) : Promise.resolve('');
  return insertDocxChunks(markdown, chunks, { archive, readDocument, maxTextBytes });
}

/** In a document with a title, headings move down one level. */
function headingMap(headingStyles: ReadonlyMap<string, number>, shift: number): string[] {
  const tag = (level: number): string => `h${Math.min(6, level + shift)}:fresh`;
  const byName = [1, 2, 3, 4, 5, 6].map((level) => `p[style-name='heading ${level}'] => ${tag(level)}`);
  const byId = [...headingStyles]
    .filter(([id]) => /^[\w-]+$/.test(id))
    .map(([id, level]) => `p.${id} => ${tag(level)}`);
  return [...byName, ...byId];
}
