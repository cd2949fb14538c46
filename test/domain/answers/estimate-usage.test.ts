import test from 'ava';
import { estimateUsage } from '#domain/answers/estimate-usage.ts';
import { estimateTokens } from '#domain/chunking/estimate-tokens.ts';

test('everything that an answer was written from counts as the prompt', (t) => {
  const asked = { query: 'When?', history: [], style: null, passages: [], answer: 'At noon.' };
  const { prompt_tokens: question, completion_tokens, total_tokens } = estimateUsage(asked);
  t.true(question > 0 && completion_tokens > 0);
  t.is(total_tokens, question + completion_tokens);
  const text = 'x'.repeat(400);
  const more = [{ history: [{ role: 'user', content: text }] }, { style: text }, { passages: [{ content: text }] }];
  for (const part of more) t.is(estimateUsage({ ...asked, ...part }).prompt_tokens, question + estimateTokens(text));
  const all = Object.assign({}, ...more);
  t.is(estimateUsage({ ...asked, ...all }).prompt_tokens, question + 3 * estimateTokens(text));
});
