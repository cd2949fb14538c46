import { cutToTokens, estimateTokens } from '#domain/chunking/estimate-tokens.ts';

/**
 * Returns the last texts, oldest first: at most `count`, and as far back as `tokens` reach. The one that exceeds them is cut, so that
 * a long message does not hide itself and all before it.
 */
export function recentTexts<Text extends { content: string }>(
  texts: readonly Text[],
  limits: { count: number; tokens: number },
): Text[] {
  const recent: Text[] = [];
  let { tokens } = limits;
  for (const text of texts.toReversed()) {
    if (recent.length === limits.count || tokens <= 0) break;
    const content = cutToTokens(text.content, tokens);
    const isCut = content !== text.content;
    tokens = isCut ? 0 : tokens - estimateTokens(content);
    if (!isCut || content !== '') recent.unshift({ ...text, content });
  }
  return recent;
}
