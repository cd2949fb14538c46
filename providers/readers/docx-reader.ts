import { AppError } from '../../domain/app-error.ts';
import type { Reader } from '../../domain/reader.ts';
import { htmlToMarkdown } from './html-to-markdown.ts';
import { DOCX } from './media-types.ts';
import { TextBuilder } from './text-builder.ts';
import { assertInflatedSize, readZipDirectory } from './zip-directory.ts';

/** Parts are inflated whole; XML is this many times its text. */
const MARKUP_RATIO = 8;
/** Images and fonts are never inflated. */
const INFLATED_PART = /\.(?:xml|rels)$/i;

const STYLES = [
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Subtitle'] => p:fresh",
  ...['Code', 'Source Code', 'HTML Preformatted', 'Macro Text', 'Plain Text', 'Code Block', 'macro'].map(
    (name) => `p[style-name='${name}'] => pre:separator('\\n')`,
  ),
  "r[style-name='Source Text'] => code",
  "r[style-name='HTML Code'] => code",
  'comment-reference => ',
];

/** Word documents: headings, lists, tables, notes. Embedded images are ignored, nothing external is ever read. */
export const docxReader: Reader = {
  name: 'docx',
  mediaTypes: [DOCX],
  async read({ path }, { maxTextBytes }) {
    const entries = await readZipDirectory(path);
    if (entries === null)
      throw new AppError(
        'unreadable',
        'The Word document is damaged or cut off. Upload it again, or save it anew in Word.',
      );
    assertInflatedSize(
      entries.filter(({ name }) => INFLATED_PART.test(name)),
      maxTextBytes * MARKUP_RATIO,
    );
    const { default: mammoth } = await import('mammoth');
    const ignoreImages = mammoth.images.imgElement(() => Promise.resolve({ src: '' }));
    const options = { styleMap: STYLES, convertImage: ignoreImages, externalFileAccess: false };
    const { value: html } = await mammoth.convertToHtml({ path }, options).catch((error: unknown) => {
      throw new AppError(
        'unreadable',
        'The Word document is damaged. Open it in Word, save it anew and upload it again.',
        { cause: error },
      );
    });
    // What stands for an image is a description that Word made up.
    const { markdown } = await htmlToMarkdown(html.replace(/<img [^>]*>/g, ''));
    return new TextBuilder(maxTextBytes).append(markdown).build();
  },
};
