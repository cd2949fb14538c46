import type { SentenceWeights } from './compressor.ts';

/** Share of the budget that windows get by size, whatever the query: scores by words miss text that uses other words. */
const SHARE_BY_SIZE = 0.2;
/** A window with fewer tokens could keep no sentence: they are worth more to the others. */
const LEAST_TOKENS = 24;
/** Halvings of the range of scores, after which scores in between are as good as equal. */
const HALVINGS = 50;
/** More than the error of sums and shares: a share of 1 must not become 0. */
const ROUNDING = 1e-6;

/**
 * Returns how many tokens each window of a text may keep. Without weights the budget is shared by size; with weights most of it
 * goes to the windows with the sentences most relevant to the query. What is too little for a sentence goes to larger shares.
 */
export function shareBudget(
  budgetTokens: number,
  windows: readonly { tokens: number }[],
  weights: readonly SentenceWeights[] | null,
): number[] {
  const total = windows.reduce((sum, { tokens }) => sum + tokens, 0);
  if (total === 0) return windows.map(() => 0);
  const bySize = windows.map(({ tokens }) => (budgetTokens * tokens) / total);
  const shares = weights === null || windows.length < 2 ? bySize : byRelevance(budgetTokens, bySize, weights);
  const within = shares.map((share, at) => Math.min(share, windows[at]?.tokens ?? 0));
  return withoutCrumbs(within).map((share, at) => Math.floor(Math.min(share + ROUNDING, windows[at]?.tokens ?? 0)));
}

function byRelevance(budgetTokens: number, bySize: readonly number[], weights: readonly SentenceWeights[]): number[] {
  const byWeight = bestTokens(budgetTokens, weights);
  const left = budgetTokens - byWeight.reduce((sum, tokens) => sum + tokens, 0);
  return bySize.map((size, at) => {
    // Budget that relevant sentences do not use up is shared by size.
    const rest = (left / budgetTokens) * size;
    return SHARE_BY_SIZE * size + (1 - SHARE_BY_SIZE) * ((byWeight[at] ?? 0) + rest);
  });
}

/** Gives the smallest shares to the others, until all are large enough or one is left. */
function withoutCrumbs(shares: readonly number[]): number[] {
  const total = shares.reduce((sum, share) => sum + share, 0);
  if (total === 0) return [...shares];
  const largestFirst = [...shares.keys()].toSorted((one, other) => (shares[other] ?? 0) - (shares[one] ?? 0));
  let kept = total;
  for (let smallest = largestFirst.at(-1); largestFirst.length > 1; smallest = largestFirst.at(-1)) {
    const share = shares[smallest ?? 0] ?? 0;
    if ((share * total) / kept >= LEAST_TOKENS) break;
    kept -= share;
    largestFirst.pop();
  }
  const remaining = new Set(largestFirst);
  return shares.map((share, at) => (remaining.has(at) ? (share * total) / kept : 0));
}

/** Selects the most relevant sentences of all windows within the budget; returns their tokens in each window. */
function bestTokens(budgetTokens: number, weights: readonly SentenceWeights[]): number[] {
  const tokensAbove = (score: number) => weights.map((window) => tokensOf(window, countAbove(window, score)));
  const sumOf = (tokens: readonly number[]) => tokens.reduce((sum, count) => sum + count, 0);
  const all = tokensAbove(0);
  if (sumOf(all) <= budgetTokens) return all;
  let [low, high] = [0, weights.reduce((most, { scores }) => Math.max(most, scores[0] ?? 0), 0)];
  for (let halved = 0; halved < HALVINGS; halved += 1) {
    const middle = (low + high) / 2;
    if (sumOf(tokensAbove(middle)) <= budgetTokens) high = middle;
    else low = middle;
  }
  const taken = tokensAbove(high);
  let room = budgetTokens - sumOf(taken);
  // The next best fill the rest, the last of them in part.
  return tokensAbove(low).map((tokens, at) => {
    const more = Math.min(tokens - (taken[at] ?? 0), room);
    room -= more;
    return (taken[at] ?? 0) + more;
  });
}

/** Counts the sentences with a higher score. */
function countAbove({ scores }: SentenceWeights, score: number): number {
  let [from, to] = [0, scores.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((scores[middle] ?? 0) > score) from = middle + 1;
    else to = middle;
  }
  return from;
}

function tokensOf({ tokens }: SentenceWeights, sentences: number): number {
  return sentences === 0 ? 0 : (tokens[sentences - 1] ?? 0);
}
