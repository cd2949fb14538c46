import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';

/** Range `[from, to)` in characters. */
export type Span = [number, number];
/** A window of a document and the passages in it that answer a question. */
export type GoldCase = { text: string; question: string; gold: Span[] };

const Row = z.object({ question: z.string(), references: z.string(), corpus_id: z.string() });
const References = z.array(z.object({ start_index: z.int(), end_index: z.int() })).min(1);
/** Fractional part of the golden ratio: its multiples are evenly distributed (Weyl), and so are passages in their windows. */
const GOLDEN = 0.618_033_988_749_895;

/**
 * Reads `questions.csv` (question, references, corpus_id) and `corpora/*.md` of a folder. For each question, cuts out a window of
 * `windowCharacters` that contains all its passages, at a position that does not depend on theirs. Questions whose passages are
 * further apart are skipped.
 */
export async function readGoldCases(folder: string, windowCharacters: number) {
  const corpora = new Map<string, string>();
  for (const name of await readdir(join(folder, 'corpora'))) {
    corpora.set(name.replace(/\.md$/, ''), await readFile(join(folder, 'corpora', name), 'utf8'));
  }
  const rows = z.array(Row).parse(parse(await readFile(join(folder, 'questions.csv')), { columns: true }));
  const cases = rows.flatMap((row, index) => {
    const references = References.parse(JSON.parse(row.references));
    const gold = references.map(({ start_index, end_index }): Span => [start_index, end_index]);
    const window = windowAround(gold, corpora.get(row.corpus_id) ?? '', { size: windowCharacters, index });
    return window === null ? [] : [{ question: row.question, ...window }];
  });
  return { cases, leftOut: rows.length - cases.length };
}

function windowAround(
  gold: readonly Span[],
  corpus: string,
  { size, index }: { size: number; index: number },
): Omit<GoldCase, 'question'> | null {
  const first = Math.min(...gold.map(([from]) => from));
  const last = Math.max(...gold.map(([, to]) => to));
  const slack = size - (last - first);
  if (slack < 0) return null;
  const wanted = Math.round(first - slack * ((index * GOLDEN) % 1));
  const start = Math.max(0, Math.min(wanted, corpus.length - size));
  return { text: corpus.slice(start, start + size), gold: gold.map(([from, to]): Span => [from - start, to - start]) };
}
