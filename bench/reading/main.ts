/**
 * `npm run bench:reading -- --dataset DIR`: compares the output of the readers with the Markdown expected for each
 * document (`NAME` and `NAME.expected.md` side by side, one folder per format), and the PDF pages per second with
 * pdfium alone.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { AppError } from '#domain/app-error.ts';
import { detectFileType } from '#providers/readers/detect-type.ts';
import { createReaderPool, type ReadResult, type ReadTask } from '#providers/readers/reader-pool.ts';
import { formatVerdict } from '#bench/statistics.ts';
import { type MarkdownStructure, structureOf } from './markdown-structure.ts';
import { comparePdfSpeed } from './pdf-speed.ts';
import { headingSimilarity, tablesSimilarity, wordF1, wordPairs } from './similarity.ts';

const EXPECTED = '.expected.md';
const MIB = 1024 * 1024;

const { values: options } = parseArgs({
  options: {
    dataset: { type: 'string' },
    reader: { type: 'string', default: 'native' },
    only: { type: 'string', default: '' },
    files: { type: 'boolean', default: false },
  },
});
if (options.dataset === undefined) {
  throw new Error('Pass the folder of the documents: npm run bench:reading -- --dataset DIR [--files] [--only pdf].');
}
const root = options.dataset;

/** `order`: like `words`, of each word with the next one. */
type Scores = { words: number; order: number; headings: number | null; tables: number | null };

const paths = await listDocuments(root);
const found = await readAll(paths);
const byFormat = new Map<string, Scores[]>();
for (const [index, path] of paths.entries()) {
  const expected = structureOf(await readFile(path + EXPECTED, 'utf8'));
  const text = found[index] ?? '';
  const scores = scoresOf(structureOf(text), expected);
  const format = relative(root, path).split('/')[0] ?? '';
  byFormat.set(format, [...(byFormat.get(format) ?? []), scores]);
  if (options.files) console.log(`${relative(root, path)}: ${formatScores(scores)}`);
}
console.log('\n| format | documents | word F1 | order | headings | tables |\n|---|---|---|---|---|---|');
for (const [format, scores] of byFormat) {
  const { words, order, headings, tables } = means(scores);
  console.log(`| ${[format, scores.length, ...[words, order, headings, tables].map(formatScore)].join(' | ')} |`);
}
const all = means([...byFormat.values()].flat());
for (const format of ['pdf', 'docx']) {
  const scores = byFormat.get(format);
  if (scores) console.log(formatVerdict(`word F1 of ${format}`, means(scores).words ?? NaN, { atLeast: 0.97 }));
}
console.log(formatVerdict('headings, all formats', all.headings ?? NaN, { atLeast: 0.6 }));
console.log(formatVerdict('tables, all formats', all.tables ?? NaN, { atLeast: 0.5 }));
const pdfs = paths.filter((path) => path.endsWith('.pdf'));
if (pdfs.length > 0) await comparePdfSpeed(pdfs);

async function listDocuments(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  const documents = names.filter((name) => name.endsWith(EXPECTED)).map((name) => name.slice(0, -EXPECTED.length));
  const wanted = documents.filter((name) => name.startsWith(options.only)).sort();
  const exists = await Promise.all(wanted.map((name) => stat(join(folder, name)).then(Boolean, () => false)));
  return wanted.filter((_, index) => exists[index]).map((name) => join(folder, name));
}

/**
 * The texts in the order of the paths. For a document that cannot be read the error is printed and the text is empty.
 */
async function readAll(documents: readonly string[]): Promise<string[]> {
  const pool = createReaderPool({
    processes: 2,
    memoryBytes: 1024 * MIB,
    timeoutMs: 300_000,
    recycleAfterTasks: 1000,
    readableFolders: [],
    maxTextBytes: 64 * MIB,
  });
  try {
    const tasks = await Promise.all(documents.map(taskOf));
    await using batch = await pool.read(tasks);
    const texts: string[] = [];
    for (const [index, outcome] of batch.outcomes.entries()) {
      if (!outcome.ok) console.log(`${relative(root, documents[index] ?? '')}: ${outcome.error.message}`);
      texts.push(outcome.ok ? await textOf(outcome.result) : '');
    }
    return texts;
  } finally {
    await pool.close();
  }
}

async function textOf(result: ReadResult): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of result.text()) parts.push(part);
  return Buffer.concat(parts).toString();
}

async function taskOf(path: string): Promise<ReadTask> {
  const name = path.split('/').at(-1) ?? '';
  const mediaType = await detectFileType(path, { name }).then(
    (detected) => detected.mediaType,
    (error: unknown) => {
      if (error instanceof AppError) return 'application/octet-stream';
      throw error;
    },
  );
  return { path, name, mediaType, reader: options.reader };
}

function scoresOf(text: MarkdownStructure, expected: MarkdownStructure): Scores {
  const hasHeadings = expected.headings.length + text.headings.length > 0;
  const hasTables = expected.tables.length + text.tables.length > 0;
  return {
    words: wordF1(text.words, expected.words),
    order: wordF1(wordPairs(text.words), wordPairs(expected.words)),
    headings: hasHeadings ? headingSimilarity(text.headings, expected.headings) : null,
    tables: hasTables ? tablesSimilarity(text.tables, expected.tables) : null,
  };
}

function means(scores: readonly Scores[]): { [Score in keyof Scores]: number | null } {
  const mean = (values: readonly (number | null)[]): number | null => {
    const known = values.filter((value) => value !== null);
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
  };
  return {
    words: mean(scores.map(({ words }) => words)),
    order: mean(scores.map(({ order }) => order)),
    headings: mean(scores.map(({ headings }) => headings)),
    tables: mean(scores.map(({ tables }) => tables)),
  };
}

function formatScores({ words, order, headings, tables }: Scores): string {
  return `words ${formatScore(words)}, order ${formatScore(order)}, headings ${formatScore(headings)}, tables ${formatScore(tables)}`;
}

function formatScore(value: number | null): string {
  return value === null ? '–' : value.toFixed(3);
}
