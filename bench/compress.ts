/**
 * `npm run bench:compress -- --dataset DIR [--window CHARACTERS]`: measures how much of the passages that answer a question
 * remains when the text around them is compressed to 50, 25 and 10 % of its tokens, with and without the question in the text,
 * compared with random sentences and with the first sentences. DIR contains `questions.csv` and `corpora/*.md`. Needs no servers.
 */
import { parseArgs } from 'node:util';
import { findQuestion } from '#domain/compression/find-question.ts';
import { splitUnits, type Unit } from '#domain/compression/split-units.ts';
import { createTokenCounter } from '#providers/chunkers/token-counter.ts';
import { extractSentences } from '#providers/compressors/extract-sentences.ts';
import { seededRandom } from '#test/support/harness/seeded-random.ts';
import { type GoldCase, readGoldCases, type Span } from './gold-cases.ts';
import { median, formatVerdict } from './statistics.ts';

const RATIOS = [0.5, 0.25, 0.1];
/** Number of random draws per window; single draws of all windows differ by 0.02. */
const RANDOM_DRAWS = 10;
const RANDOM_METHOD = 'random sentences';
const MIB = 1024 * 1024;

const { values: options } = parseArgs({
  options: { dataset: { type: 'string' }, window: { type: 'string', default: '20000' } },
});
if (options.dataset === undefined)
  throw new Error('Usage: npm run bench:compress -- --dataset DIR, where DIR contains questions.csv and corpora/*.md.');
const { cases, leftOut } = await readGoldCases(options.dataset, Number(options.window));
const countTokens = await createTokenCounter({ kind: 'estimate', charactersPerToken: 4 });
const random = seededRandom(1);

/** Returns the parts of a text that are kept within a budget of tokens. */
type Method = (given: GoldCase, budgetTokens: number) => Span[];

const methods: Readonly<Record<string, Method>> = {
  [RANDOM_METHOD]: ({ text }, budget) => {
    const units = splitUnits(text);
    const places = units
      .map((unit) => ({ unit, place: random.fraction() }))
      .sort((one, other) => one.place - other.place);
    return fill(
      text,
      places.map(({ unit }) => unit),
      budget,
    );
  },
  'first sentences': ({ text }, budget) => fill(text, splitUnits(text), budget),
  'extractive, no question in the text': ({ text }, budget) => compress(text, budget),
  'extractive, the question below the text': ({ text, question }, budget) =>
    compress(`${text}\n\nQuestion: ${question}`, budget),
};

const detected = cases.filter(
  ({ text, question }) => findQuestion(`${text}\n\nQuestion: ${question}`)?.text === question,
);
console.log(
  `${cases.length} questions, each in a window of ${options.window} characters; ${leftOut} skipped because their passages are further apart`,
);
console.log(`${detected.length} of the questions are detected in the text`);
console.log(
  `\n| kept | ${RATIOS.map((ratio) => `${100 * ratio} %`).join(' | ')} |\n|---|${'---|'.repeat(RATIOS.length)}`,
);
const shares = new Map<string, number[]>();
for (const [way, keep] of Object.entries(methods)) {
  const draws = Array.from({ length: way === RANDOM_METHOD ? RANDOM_DRAWS : 1 }, (_, draw) => draw);
  const row = RATIOS.map((ratio) => mean(draws.flatMap(() => cases.map((given) => shareKept(given, keep, ratio)))));
  shares.set(way, row);
  console.log(`| ${way} | ${row.map((share) => share.toFixed(3)).join(' | ')} |`);
}
const shareAt25Percent = (way: string) => shares.get(way)?.[1] ?? NaN;
console.log(
  formatVerdict(
    'at 25 %, with the question / random sentences',
    shareAt25Percent('extractive, the question below the text') / shareAt25Percent(RANDOM_METHOD),
    {
      atLeast: 3,
    },
  ),
);
measureSpeed();

function compress(text: string, budgetTokens: number): Span[] {
  const query = findQuestion(text)?.text ?? null;
  const { droppedSpans } = extractSentences({ text, budgetTokens, query, isWhole: true }, countTokens);
  return gapsOf(droppedSpans ?? [], text.length);
}

function fill(text: string, units: readonly Unit[], budgetTokens: number): Span[] {
  let room = budgetTokens;
  return units.flatMap(({ from, to }): Span[] => {
    const tokens = countTokens(text.slice(from, to));
    if (tokens > room) return [];
    room -= tokens;
    return [[from, to]];
  });
}

function shareKept(given: GoldCase, keep: Method, ratio: number): number {
  const kept = keep(given, Math.floor(countTokens(given.text) * ratio));
  let left = 0;
  let all = 0;
  for (const [from, to] of given.gold) {
    all += to - from;
    for (const [start, end] of kept) left += Math.max(0, Math.min(to, end) - Math.max(from, start));
  }
  return Math.min(1, left / all);
}

function gapsOf(spans: readonly Span[], length: number): Span[] {
  const ends: Span[] = [...spans, [length, length]];
  return ends.map(([start], index): Span => [spans[index - 1]?.[1] ?? 0, start]);
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

/** Checks that the time grows linearly with the text, not quadratically. */
function measureSpeed(): void {
  const all = cases.map(({ text }) => text).join('\n');
  const [small = NaN, large = NaN] = [MIB / 4, MIB].map((size) => {
    const text = all.slice(0, size);
    const budgetTokens = Math.floor(countTokens(text) / 4);
    const times = Array.from({ length: 5 }, () => {
      const startedMs = performance.now();
      extractSentences({ text, budgetTokens, query: null, isWhole: true }, countTokens);
      return performance.now() - startedMs;
    });
    return median(times);
  });
  console.log(`1 MiB: ${Math.round(large)} ms`);
  console.log(formatVerdict('time for 1 MiB / for a quarter of it', large / small, { atMost: 8 }));
}
