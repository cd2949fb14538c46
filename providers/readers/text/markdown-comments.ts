/** The mark of a fence, which may be in a list or a quotation, and what follows it. */
const FENCE = /^[ \t>]*(`{3,}|~{3,})(.*)$/;
const CODE_MARK = /`+/g;
const [START, END] = ['<!--', '-->'];

/**
 * Removes comments of Markdown outside code, line by line: a pattern over the whole text may take quadratic time. As CommonMark
 * has it, a comment at the beginning of a line goes on to its end, wherever that is, and one within a paragraph ends there. What
 * has no end is text.
 */
export function removeMarkdownComments(markdown: string): string {
  if (!markdown.includes(START)) return markdown;
  const lines = markdown.split('\n');
  const ends = nextEnds(lines);
  const out: string[] = [];
  let fence = '';
  let isComment = false;
  for (const [index, line] of lines.entries()) {
    const [, mark = '', info = ''] = (isComment ? null : FENCE.exec(line)) ?? [];
    if (fence !== '' || isFence(mark, info)) {
      if (fence === '') fence = mark;
      else if (mark.startsWith(fence) && info.trim() === '') fence = '';
      out.push(line);
      continue;
    }
    const next = ends[index + 1] ?? { block: false, paragraph: false };
    const { text, goesOn } = outsideComments(line, { isInside: isComment, next });
    if (text !== '' || !isComment) out.push(text);
    isComment = goesOn;
  }
  return out.join('\n');
}

/** Three backticks and a backtick later in the line are code within a paragraph. */
function isFence(mark: string, info: string): boolean {
  return mark !== '' && !(mark.startsWith('`') && info.includes('`'));
}

/** Whether a comment has an end in this line or a later one: anywhere (`block`), or before the next empty line (`paragraph`). */
type NextEnd = { block: boolean; paragraph: boolean };

function nextEnds(lines: readonly string[]): NextEnd[] {
  const ends: NextEnd[] = [];
  let next: NextEnd = { block: false, paragraph: false };
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const line = lines[index] ?? '';
    const isHere = line.includes(END);
    next = { block: isHere || next.block, paragraph: line.trim() !== '' && (isHere || next.paragraph) };
    ends[index] = next;
  }
  return ends;
}

/** The part of a line outside comments, and whether a comment continues on the next line. */
function outsideComments(
  line: string,
  { isInside, next }: { isInside: boolean; next: NextEnd },
): { text: string; goesOn: boolean } {
  let text = '';
  let at = 0;
  if (isInside) {
    const end = line.indexOf(END);
    if (end === -1) return { text: '', goesOn: true };
    at = end + END.length;
  }
  const code = codeSpans(line).toReversed();
  for (;;) {
    const start = nextStart(line, at, code);
    if (start === -1) return { text: text + line.slice(at), goesOn: false };
    const end = line.indexOf(END, start + START.length);
    const isBlock = line.slice(0, start).trim() === '';
    if (end === -1 && !(isBlock ? next.block : next.paragraph)) return { text: text + line.slice(at), goesOn: false };
    text += line.slice(at, start);
    if (end === -1) return { text, goesOn: true };
    at = end + END.length;
  }
}

type Span = { start: number; end: number };

/** The code within a line: between marks of the same length. */
function codeSpans(line: string): Span[] {
  if (!line.includes('`')) return [];
  const spans: Span[] = [];
  const last = new Map<number, number>();
  const marks = [...line.matchAll(CODE_MARK)].map(({ 0: mark, index }) => ({
    length: mark.length,
    start: index,
    next: -1,
  }));
  for (const mark of marks.toReversed()) {
    mark.next = last.get(mark.length) ?? -1;
    last.set(mark.length, mark.start);
  }
  let from = 0;
  for (const { length, start, next } of marks) {
    if (start < from || next === -1) continue;
    from = next + length;
    spans.push({ start, end: from });
  }
  return spans;
}

/** Where the next comment begins that is not within code; -1 for none. Removes the spans before it. */
function nextStart(line: string, at: number, code: Span[]): number {
  let start = line.indexOf(START, at);
  for (let span = code.at(-1); span && start >= span.start; span = code.at(-1)) {
    if (start < span.end) start = line.indexOf(START, span.end);
    code.pop();
  }
  return start;
}
