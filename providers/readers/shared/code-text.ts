/** The part of a DOM node in use. */
type DomNode = {
  nodeName: string;
  nodeValue: string | null;
  firstChild: DomNode | null;
  nextSibling: DomNode | null;
  parentNode: DomNode | null;
};

/** Elements that are one line of code each in the output of syntax highlighters. */
const LINE_ELEMENTS: ReadonlySet<string> = new Set(['DIV', 'P', 'LI', 'TR']);

/** The text of preformatted code, whose lines end with a line break, a `<br>`, or an element of their own. */
export function codeText(root: DomNode): string {
  const parts: string[] = [];
  let [isLineOver, isBreakDue] = [true, false];
  const add = (text: string): void => {
    if (text === '') return;
    if (isBreakDue && !text.startsWith('\n')) parts.push('\n');
    parts.push(text);
    isBreakDue = false;
    isLineOver = text.endsWith('\n');
  };
  const beginLine = (): void => {
    if (isBreakDue || !isLineOver) parts.push('\n');
    [isBreakDue, isLineOver] = [false, true];
  };
  /** Ends the line with a line break unless the text continues with one. */
  const endLine = (): void => {
    isBreakDue = !isLineOver;
  };
  // Iterative, because elements may be nested more deeply than the call stack.
  let node: DomNode | null = root.firstChild;
  while (node) {
    if (node.nodeName === '#text') add(node.nodeValue ?? '');
    else if (node.nodeName === 'BR') add('\n');
    else if (LINE_ELEMENTS.has(node.nodeName)) beginLine();
    if (node.firstChild) {
      node = node.firstChild;
      continue;
    }
    while (node && node !== root && !node.nextSibling) {
      node = node.parentNode;
      if (node && LINE_ELEMENTS.has(node.nodeName)) endLine();
    }
    node = node === root ? null : (node?.nextSibling ?? null);
  }
  return parts.join('');
}
