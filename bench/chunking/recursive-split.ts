const SEPARATORS = ['\n\n', '\n', '. ', ' ', ''];

export type Span = { start: number; end: number };

/**
 * The usual recursive splitter: splits at the coarsest separator that occurs, and merges pieces up to the size, without
 * overlap.
 */
export function splitRecursively(text: string, maxTokens: number, countTokens: (text: string) => number): Span[] {
  const split = ({ start, end }: Span, level: number): Span[] => {
    const slice = text.slice(start, end);
    if (countTokens(slice) <= maxTokens) return [{ start, end }];
    const separator = SEPARATORS[level] ?? '';
    const parts =
      separator === ''
        ? (slice.match(/[\s\S]{1,400}/g) ?? [])
        : slice.split(new RegExp(`(?<=${separator.replace('.', '\\.')})`));
    const pieces: Span[] = [];
    let at = start;
    for (const part of parts) {
      const piece = { start: at, end: at + part.length };
      at = piece.end;
      const last = pieces.at(-1);
      if (last && countTokens(text.slice(last.start, piece.end)) <= maxTokens) last.end = piece.end;
      else pieces.push(piece);
    }
    return pieces.flatMap((piece) => (separator === '' ? [piece] : split(piece, level + 1)));
  };
  return split({ start: 0, end: text.length }, 0);
}
