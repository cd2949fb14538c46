import type { Nodes, Root } from 'mdast';
import { findAndReplace, type RegExpMatchObject } from 'mdast-util-find-and-replace';

const MARK = /\[(\d+)\]/g;

/**
 * Makes elements `cite` of the marks `[n]` in a text. `dataAt` is where the mark is in the source, in UTF-16 code units; it is
 * left out where the parser does not know. Nothing else becomes a `cite`, because HTML is not parsed.
 */
export function citationMarks() {
  return (tree: Root, file: { toString: () => string }) => {
    const places = placesIn(file.toString());
    const replace = (mark: string, number: string, match: RegExpMatchObject) => ({
      type: 'emphasis' as const,
      data: { hName: 'cite', hProperties: { dataNumber: number, dataAt: places(match.stack.at(-1)) } },
      children: [{ type: 'text' as const, value: mark }],
    });
    findAndReplace(tree, [[MARK, replace]], { ignore: ['link', 'linkReference'] });
  };
}

/**
 * Returns a function for the places of the marks of a node, one after the other. The value of a node is shorter than its source where
 * characters are escaped: the same mark is looked for in both.
 */
function placesIn(source: string): (node: Nodes | undefined) => number | undefined {
  const remaining = new WeakMap<Nodes, Iterator<number>>();
  return (node) => {
    const { start, end } = node?.position ?? {};
    if (node === undefined || start?.offset === undefined || end?.offset === undefined) return undefined;
    const places = remaining.get(node) ?? marksBetween(source, start.offset, end.offset);
    remaining.set(node, places);
    return places.next().value;
  };
}

function* marksBetween(source: string, start: number, end: number): Generator<number, undefined> {
  for (const { index } of source.slice(start, end).matchAll(MARK)) yield start + index;
}
