import type { SentenceWeights } from './compressor.ts';

/** Share of the budget that windows get by size, whatever the query: scores by words miss text that uses other words. */
const SHARE_BY_SIZE = 0.2;

/**
 * Returns how many tokens each window of a text may keep. Without weights the budget is shared by size; with weights most of it
 * goes to the windows with the sentences most relevant to the query.
 */
export function shareBudget(
  budgetTokens: number,
  windows: readonly { tokens: number }[],
  weights: readonly SentenceWeights[] | null,
): number[] {
  const total = windows.reduce((sum, { tokens }) => sum + tokens, 0);
  if (total === 0) return windows.map(() => 0);
  const bySize = windows.map(({ tokens }) => (budgetTokens * tokens) / total);
  if (weights === null || windows.length < 2) return bySize.map(Math.floor);
  const byWeight = bestTokens(budgetTokens, weights);
  const left = budgetTokens - byWeight.reduce((sum, tokens) => sum + tokens, 0);
  return bySize.map((size, at) => {
    // Budget that relevant sentences do not use up is shared by size.
    const rest = (left / budgetTokens) * size;
    const mixed = SHARE_BY_SIZE * size + (1 - SHARE_BY_SIZE) * ((byWeight[at] ?? 0) + rest);
    return Math.floor(Math.min(mixed, windows[at]?.tokens ?? 0));
  });
}

/** Selects the most relevant sentences of all windows within the budget; returns their tokens in each window. */
function bestTokens(budgetTokens: number, weights: readonly SentenceWeights[]): number[] {
  const sentences = weights.flatMap(({ scores, tokens }, window) =>
    Array.from(scores, (score, at) => ({ window, score, tokens: tokens[at] ?? 0 })).filter(({ score }) => score > 0),
  );
  sentences.sort((one, other) => other.score - one.score || one.window - other.window);
  const taken = weights.map(() => 0);
  let room = budgetTokens;
  for (const { window, tokens } of sentences) {
    if (tokens > room) continue;
    taken[window] = (taken[window] ?? 0) + tokens;
    room -= tokens;
  }
  return taken;
}
