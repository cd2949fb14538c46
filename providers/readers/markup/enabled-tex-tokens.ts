import { texTokens, type TexToken } from './tex-tokens.ts';

/** A conditional of TeX: `\iffalse`, `\ifx`, those of `\newif`; not the symbol `\iff` and commands with arguments. */
const CONDITIONAL =
  /^if(?!f$|thenelse$|def[a-z]|str[a-z]|empty$|blank$|bool$|toggle$|num(?:comp|equal|odd)|csdef|cs[a-z]{2})/;

/** Splits LaTeX into tokens, without those that `\iffalse` … `\fi` disables. What follows its `\else` stays. */
export function enabledTexTokens(source: string): TexToken[] {
  const kept: TexToken[] = [];
  /** How many conditionals are open within the disabled text, with its own. */
  let depth = 0;
  let start = 0;
  for (const token of texTokens(source)) {
    const name = token.kind === 'command' ? token.name : '';
    kept.push(token);
    if (depth > 0) {
      const isEnd = name === 'fi' || (name === 'else' && depth === 1);
      if (isEnd) depth -= 1;
      else if (CONDITIONAL.test(name)) depth += 1;
      if (depth === 0) kept.length = start;
    } else if (name === 'iffalse') [depth, start] = [1, kept.length - 1];
  }
  return kept;
}
