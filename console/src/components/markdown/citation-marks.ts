import type { Root } from 'mdast';
import { findAndReplace, type RegExpMatchObject } from 'mdast-util-find-and-replace';

const MARK = /\[(\d+)\]/g;

/**
 * Makes elements `cite` of the marks `[n]` in a text. `dataAt` is where the mark is in the source, in UTF-16 code units; it is
 * left out where the parser does not know. Nothing else becomes a `cite`, because HTML is not parsed.
 */
export function citationMarks() {
  return (tree: Root, file: { toString: () => string }) => {
    const source = file.toString();
    const replace = (mark: string, number: string, match: RegExpMatchObject) => ({
      type: 'emphasis' as const,
      data: { hName: 'cite', hProperties: { dataNumber: number, dataAt: placeOf(match, source) } },
      children: [{ type: 'text' as const, value: mark }],
    });
    findAndReplace(tree, [[MARK, replace]], { ignore: ['link', 'linkReference'] });
  };
}

/** The value of a node is shorter than its source where characters are escaped: the same mark is looked for in both. */
function placeOf({ index, input, stack }: RegExpMatchObject, source: string): number | undefined {
  const { start, end } = stack.at(-1)?.position ?? {};
  if (start?.offset === undefined || end?.offset === undefined) return undefined;
  const before = [...input.slice(0, index).matchAll(MARK)].length;
  const found = [...source.slice(start.offset, end.offset).matchAll(MARK)][before];
  return found === undefined ? undefined : start.offset + found.index;
}
