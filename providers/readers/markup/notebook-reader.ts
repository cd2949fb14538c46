import { z } from 'zod';
import { AppError } from '#domain/app-error.ts';
import type { Reader } from '#domain/reader.ts';
import { removeDataUris } from '#providers/readers/shared/data-uris.ts';
import { readTextFile } from '#providers/readers/shared/decode-text.ts';
import { fencedCode } from '#providers/readers/shared/fenced-code.ts';
import { NOTEBOOK } from '#providers/readers/shared/media-types.ts';
import { TextBuilder } from '#providers/readers/shared/text-builder.ts';

/** Output beyond this is the log of a long run; it is cut. */
const MAX_OUTPUT_LENGTH = 4_000;
const MAX_OUTPUTS = 20;

const Lines = z
  .union([z.string(), z.array(z.string())])
  .transform((text) => (typeof text === 'string' ? text : text.join('')));
const Output = z.object({
  text: Lines.optional().catch(undefined),
  data: z
    .object({ 'text/plain': Lines.optional().catch(undefined), 'text/markdown': Lines.optional().catch(undefined) })
    .optional()
    .catch(undefined),
  ename: z.string().optional().catch(undefined),
  evalue: z.string().optional().catch(undefined),
});
type Output = z.infer<typeof Output>;
const Cell = z.object({
  cell_type: z.string(),
  source: Lines.optional(),
  /** Version 3 of the format calls it so, and has headings of its own. */
  input: Lines.optional(),
  level: z.number().int().min(1).max(6).optional().catch(undefined),
  language: z.string().optional(),
  outputs: z.array(Output).optional().catch(undefined),
});
type Cell = z.infer<typeof Cell>;
const Name = z.object({ name: z.string().optional(), language: z.string().optional() }).optional().catch(undefined);
const Notebook = z.object({
  cells: z.array(Cell).optional(),
  worksheets: z.array(z.object({ cells: z.array(Cell) })).optional(),
  metadata: z.object({ kernelspec: Name, language_info: Name }).optional().catch(undefined),
});

/** Reads Jupyter notebooks: text as it is, code with its language, and the text of its output, up to 4,000 characters a cell. */
export const notebookReader: Reader = {
  name: 'notebook',
  mediaTypes: [NOTEBOOK],
  async read(input, { maxTextBytes }) {
    const { text } = await readTextFile(input, maxTextBytes);
    const { cells, worksheets = [], metadata } = parse(text);
    const all = cells ?? worksheets.flatMap((sheet) => sheet.cells);
    const language = metadata?.language_info?.name ?? metadata?.kernelspec?.language ?? '';
    const builder = new TextBuilder(maxTextBytes);
    for (const cell of all) builder.append(cellMarkdown(cell, language));
    return builder.build({ cell_count: all.length });
  },
};

function parse(text: string): z.infer<typeof Notebook> {
  try {
    return Notebook.parse(JSON.parse(text));
  } catch (cause) {
    const message =
      'The file is no Jupyter notebook. Save it again in Jupyter, or upload it with the reader text to read it as it is.';
    throw new AppError('unreadable', message, { cause });
  }
}

function cellMarkdown(
  { cell_type: kind, source, input, level, language, outputs }: Cell,
  notebookLanguage: string,
): string {
  const text = (source ?? input ?? '').trimEnd();
  if (kind === 'heading') return `${'#'.repeat(level ?? 1)} ${text.replace(/\s+/g, ' ')}\n\n`;
  if (kind !== 'code') return text === '' ? '' : `${removeDataUris(text)}\n\n`;
  const name = /^[\w+#.-]{1,30}$/.exec(language ?? notebookLanguage)?.[0] ?? '';
  return `${text === '' ? '' : `${fencedCode(text, name)}\n`}${outputMarkdown(outputs ?? [])}`;
}

/** The text of the output, without pictures and the colors of terminals. */
function outputMarkdown(outputs: readonly Output[]): string {
  const parts = outputs.slice(0, MAX_OUTPUTS).map(outputText);
  const text = parts
    .filter((part) => part.trim() !== '')
    .join('\n')
    .trimEnd();
  if (text === '') return '';
  const shown = text.length > MAX_OUTPUT_LENGTH ? `${text.slice(0, MAX_OUTPUT_LENGTH).toWellFormed()}\n…` : text;
  return `Output:\n\n${fencedCode(shown)}\n`;
}

function outputText({ text, data, ename, evalue }: Output): string {
  if (ename !== undefined) return `${ename}: ${evalue ?? ''}`;
  return text ?? data?.['text/markdown'] ?? data?.['text/plain'] ?? '';
}
