import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { AppError } from '#domain/app-error.ts';
import type { Reader } from '#domain/reader.ts';
import { htmlToMarkdown } from '#providers/readers/shared/html-to-markdown.ts';
import { TextBuilder } from '#providers/readers/shared/text-builder.ts';

/** The part in use of an element in the response of Unstructured. */
const Element = z.object({
  type: z.string(),
  text: z.string().nullish(),
  metadata: z
    .object({
      page_number: z.number().int().positive().nullish(),
      text_as_html: z.string().nullish(),
      category_depth: z.number().int().min(0).nullish(),
    })
    .nullish(),
});
type Element = z.infer<typeof Element>;

/** Values of the `reader` field, with the strategy of the server. */
export const UNSTRUCTURED_STRATEGIES: ReadonlyMap<string, string> = new Map([
  ['unstructured', 'auto'],
  ['unstructured_hi_res', 'hi_res'],
  ['unstructured_fast', 'fast'],
]);

export function unstructuredNotConfiguredError(): AppError {
  return new AppError(
    'reader_unavailable',
    'No Unstructured server is configured. Use the reader native, or ask the operator to set LOCI_UNSTRUCTURED_URL.',
  );
}

const PAGE_FURNITURE = new Set(['Header', 'Footer', 'PageNumber', 'PageBreak']);

/**
 * Converts the response of an Unstructured server (elements as JSON) to Markdown. `withUnstructured` has sent the
 * document there; the response is hostile input like any other and is read in the child process.
 */
export const unstructuredReader: Reader = {
  name: 'unstructured',
  mediaTypes: ['*'],
  async read({ path }, { maxTextBytes }) {
    const elements = parseElements(await readFile(path, 'utf8'));
    const { size } = await stat(path);
    const builder = new TextBuilder(Math.max(maxTextBytes, 0));
    let page = 0;
    for (const element of elements) {
      const number = element.metadata?.page_number ?? page;
      if (number > page) builder.startPage((page = number));
      if (!PAGE_FURNITURE.has(element.type)) builder.append(await markdownOf(element));
    }
    return builder.build({
      element_count: elements.length,
      answer_bytes: size,
      ...(page === 0 ? {} : { page_count: page }),
    });
  },
};

function parseElements(text: string): Element[] {
  try {
    return z.array(Element).parse(JSON.parse(text));
  } catch (error) {
    const message =
      'The Unstructured server did not respond with a list of elements. Ask the operator to check LOCI_UNSTRUCTURED_URL.';
    throw new AppError('reader_unavailable', message, { cause: error });
  }
}

async function markdownOf({ type, text, metadata }: Element): Promise<string> {
  const plain = (text ?? '').trim();
  if (plain === '') return '';
  switch (type) {
    case 'Title':
      return `${'#'.repeat(Math.min(6, (metadata?.category_depth ?? 0) + 1))} ${plain.replace(/\s+/g, ' ')}\n\n`;
    case 'ListItem':
      return `- ${plain.replace(/\s+/g, ' ')}\n`;
    case 'Table': {
      const html = metadata?.text_as_html;
      return html ? `${(await htmlToMarkdown(html, { isOffice: true })).markdown}\n` : `${plain}\n\n`;
    }
    case 'CodeSnippet':
      return `\`\`\`\n${plain}\n\`\`\`\n\n`;
    default:
      return `${plain}\n\n`;
  }
}
