/** More than anybody writes; the time to parse a text grows with the square of these, and thousands overflow the stack. */
const MAX_CONTAINERS = 50;
const MAX_BRACKETS = 100;
const MAX_EMPHASES = 300;

/** What begins quotations and items of lists, one inside the other. */
const CONTAINERS = /^[ \t]*(?:(?:>|[-*+](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$))[ \t]*)+/;
const CONTAINER = />|[-*+]|\d+[.)]/g;
/** A border of code at the beginning of a line: a fence further inside may end before its border does. */
const FENCE = /^(?:`{3,}(?=[^`]*$)|~{3,})/;
/** A line of them alone is a rule. */
const RULE = /^[ \t]*[-*_~]+[ \t]*$/;
const BRACKET_OR_RUN = /\\[^]|[[\]]|[*_~]+/g;

/** How many brackets and emphases are open in a paragraph. */
type Open = { brackets: number; emphases: number };

/** Tells whether quotations, lists, emphases or images of a Markdown text are too deep in one another to be parsed and shown. */
export function isTooNested(text: string): boolean {
  let open: Open = { brackets: 0, emphases: 0 };
  let fence: string | null = null;
  for (const line of text.split(/\r\n?|\n/)) {
    const [border] = FENCE.exec(line) ?? [];
    if (fence !== null) {
      if (border?.startsWith(fence) === true && line.trim() === border) fence = null;
      continue;
    }
    if (border !== undefined) fence = border;
    if (border !== undefined || line.trim() === '') {
      open = { brackets: 0, emphases: 0 };
      continue;
    }
    if (depthOf(line) > MAX_CONTAINERS) return true;
    if (!RULE.test(line) && opensTooMuch(line, open)) return true;
  }
  return false;
}

/** An item of a list is inside others when it is indented by two characters for each. */
function depthOf(line: string): number {
  const [lead] = CONTAINERS.exec(line) ?? [];
  if (lead === undefined) return 0;
  const indent = line.length - line.trimStart().length;
  return (lead.match(CONTAINER)?.length ?? 0) + indent / 2;
}

/** Counts what a line opens and closes. Runs of `*`, `_` and `~` open before a character and close after one. */
function opensTooMuch(line: string, open: Open): boolean {
  for (const { 0: found, index } of line.matchAll(BRACKET_OR_RUN)) {
    if (found === '[') open.brackets += 1;
    else if (found === ']') open.brackets = Math.max(0, open.brackets - 1);
    else if (!found.startsWith('\\')) {
      const closed = isSpace(line[index - 1]) ? 0 : Math.min(open.emphases, found.length);
      const opened = isSpace(line[index + found.length]) ? 0 : found.length - closed;
      open.emphases += opened - closed;
    }
    if (open.brackets > MAX_BRACKETS || open.emphases > MAX_EMPHASES) return true;
  }
  return false;
}

function isSpace(character: string | undefined): boolean {
  return character === undefined || /\s/.test(character);
}
