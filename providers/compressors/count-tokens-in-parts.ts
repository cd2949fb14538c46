import { cutWithin } from '#domain/chunking/sentences.ts';

const PART_CHARACTERS = 4_000;

/** Counts the tokens of a text of any length. The tokenizer gets the text in parts. */
export function countTokensInParts(text: string, countTokens: (text: string) => number): number {
  let tokens = 0;
  for (let from = 0; from < text.length;) {
    const part = text.slice(from, from + PART_CHARACTERS);
    const end = part.length < PART_CHARACTERS ? part.length : cutWithin(part, PART_CHARACTERS).end;
    tokens += countTokens(part.slice(0, end));
    from += end;
  }
  return tokens;
}
