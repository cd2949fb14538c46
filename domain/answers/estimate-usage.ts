import { estimateTokens } from '#domain/chunking/estimate-tokens.ts';
import type { Turn } from './answer-prompt.ts';

export type Usage = { prompt_tokens: number; completion_tokens: number; total_tokens: number };

/** What an answer was written from, and its text. `style`: what the application wants of it. */
type Answered = {
  query: string;
  history: readonly Turn[];
  style: string | null;
  passages: readonly { content: string }[];
  answer: string;
};

/** Estimates the tokens of an answer, and those of all messages and passages that it was written from. */
export function estimateUsage({ query, history, style, passages, answer }: Answered): Usage {
  const texts = [query, style ?? '', ...[...history, ...passages].map(({ content }) => content)];
  const prompt = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
  const completion = estimateTokens(answer);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}
