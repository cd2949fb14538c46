import test from 'ava';
import { findQuestion } from '#domain/compression/find-question.ts';
import { createTokenCounter } from '#providers/chunkers/token-counter.ts';
import { extractSentences } from '#providers/compressors/extract-sentences.ts';
import { HELD_BACK, LOOKED_AT, type ShortText } from './short-texts.ts';

const GOAL = 0.95;

/** Returns the results of those texts whose answer is lost, and how many there are. */
async function lostAnswers(cases: readonly ShortText[]): Promise<string[]> {
  const countTokens = await createTokenCounter({ kind: 'estimate', charactersPerToken: 4 });
  return cases.flatMap(({ text, query = findQuestion(text)?.text ?? null, ratio, answer }) => {
    const budgetTokens = Math.ceil(countTokens(text) * ratio);
    const result = extractSentences({ text, budgetTokens, query, isWhole: true }, countTokens);
    return result.text.includes(answer) ? [] : [`${answer} <- ${result.text}`];
  });
}

test('keeps the answer in at least 95 % of short texts', async (t) => {
  t.true(LOOKED_AT.length + HELD_BACK.length >= 40);
  for (const cases of [LOOKED_AT, HELD_BACK]) {
    const lost = await lostAnswers(cases);
    t.true(lost.length <= (1 - GOAL) * cases.length, lost.join('\n'));
  }
});
