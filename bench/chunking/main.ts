/**
 * `npm run bench:chunking -- --dataset DIR`: measures the share of the answers' characters in the first five chunks of
 * a keyword search, on texts (`corpora/NAME.md`) and questions (`questions.csv`: question, references as JSON with
 * start_index and end_index, corpus_id); compared with recursive splitting at 400 tokens.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { planChunks } from '#domain/chunking/plan-chunks.ts';
import { chunkLimitsFor } from '#domain/chunking/chunk-limits.ts';
import { type ChunkLimits, indexedText } from '#domain/chunking/chunker.ts';
import { createTokenCounter } from '#providers/chunkers/token-counter.ts';
import { formatVerdict } from '#bench/statistics.ts';
import { createKeywordIndex } from './keyword-index.ts';
import { splitRecursively } from './recursive-split.ts';

const DEPTH = 5;
/** The token limit of the embedder; large enough to have no effect. */
const MAX_TOKENS = 8_192;
const RECURSIVE_TOKENS = 400;

const Questions = z.array(z.object({ question: z.string(), references: z.string(), corpus_id: z.string() }));
const References = z.array(z.object({ start_index: z.number(), end_index: z.number() }));

type Piece = { corpus: string; start: number; end: number; text: string; tokens: number };
type Span = { start: number; end: number };

const { values: options } = parseArgs({ options: { dataset: { type: 'string' }, target: { type: 'string' } } });
if (options.dataset === undefined)
  throw new Error('Pass the folder of the data: npm run bench:chunking -- --dataset DIR.');
const folder = options.dataset;
const names = (await readdir(join(folder, 'corpora'))).filter((name) => name.endsWith('.md'));
const corpora = new Map<string, string>();
for (const name of names) corpora.set(name.slice(0, -3), await readFile(join(folder, 'corpora', name), 'utf8'));
const questions = Questions.parse(parse(await readFile(join(folder, 'questions.csv')), { columns: true, bom: true }));
const countTokens = await createTokenCounter({ kind: 'estimate', charactersPerToken: 4 });

const limits = limitsOf(options.target);
const ours = evaluate([...corpora].flatMap(([corpus, text]) => piecesByStructure(corpus, text, limits)));
const recursive = evaluate([...corpora].flatMap(([corpus, text]) => recursivePieces(corpus, text)));
console.log(`${questions.length} questions, ${corpora.size} texts, keyword search, first ${DEPTH} chunks`);
console.log('| chunks | number | tokens, mean | characters found | whole answers found |\n|---|---|---|---|---|');
for (const [name, { count, tokens, characters, whole }] of [
  [`by structure, ${limits.targetTokens} tokens`, ours],
  [`recursive, ${RECURSIVE_TOKENS} tokens`, recursive],
] as const) {
  console.log(`| ${name} | ${count} | ${tokens.toFixed(0)} | ${characters.toFixed(3)} | ${whole.toFixed(3)} |`);
}
console.log(formatVerdict('characters of answers in the first five chunks', ours.characters, { atLeast: 0.96 }));
console.log(formatVerdict('whole answers in the first five chunks', ours.whole, { atLeast: 0.93 }));

function limitsOf(target: string | undefined): ChunkLimits {
  const defaults = chunkLimitsFor(MAX_TOKENS);
  return target === undefined
    ? defaults
    : { targetTokens: Number(target), maxTokens: Math.ceil(Number(target) * 1.25) };
}

function piecesByStructure(corpus: string, text: string, chunkLimits: ChunkLimits): Piece[] {
  const chunks = planChunks({ text, pages: [], notes: {} }, chunkLimits, countTokens);
  return [...chunks].map((chunk) => ({
    corpus,
    start: chunk.start,
    end: chunk.end,
    text: indexedText(chunk),
    tokens: chunk.tokens,
  }));
}

function recursivePieces(corpus: string, text: string): Piece[] {
  return splitRecursively(text, RECURSIVE_TOKENS, countTokens).map(({ start, end }) => {
    const slice = text.slice(start, end);
    return { corpus, start, end, text: slice, tokens: countTokens(slice) };
  });
}

function evaluate(pieces: readonly Piece[]) {
  const index = createKeywordIndex(pieces.map(({ text }) => text));
  let [characters, whole] = [0, 0];
  for (const { question, references, corpus_id: corpus } of questions) {
    const hits = index
      .search(question, DEPTH)
      .map((place) => pieces[place])
      .filter((piece) => piece?.corpus === corpus);
    const spans = References.parse(JSON.parse(references)).map(({ start_index: start, end_index: end }) => ({
      start,
      end,
    }));
    const found = spans.map((span) =>
      coveredLength(
        span,
        hits.filter((hit) => hit !== undefined),
      ),
    );
    const total = spans.reduce((sum, { start, end }) => sum + end - start, 0);
    characters += found.reduce((sum, length) => sum + length, 0) / Math.max(1, total);
    whole += spans.every(({ start, end }, place) => (found[place] ?? 0) >= end - start) ? 1 : 0;
  }
  const tokens = pieces.reduce((sum, piece) => sum + piece.tokens, 0) / Math.max(1, pieces.length);
  return { count: pieces.length, tokens, characters: characters / questions.length, whole: whole / questions.length };
}

/** Number of characters of a span that the pieces contain; white space between adjacent pieces counts as contained. */
function coveredLength({ start, end }: Span, hits: readonly Piece[]): number {
  const sorted = hits.toSorted((a, b) => a.start - b.start);
  let [at, length] = [start, 0];
  for (const hit of sorted) {
    const from = Math.max(at, hit.start);
    const to = Math.min(end, hit.end);
    if (from - at > 0 && corpora.get(hit.corpus)?.slice(at, from).trim() === '') length += from - at;
    if (to > from) {
      length += to - from;
      at = to;
    }
  }
  return Math.min(length, end - start);
}
