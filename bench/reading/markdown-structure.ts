/** The parts of a Markdown text that the benchmark compares. */
export type MarkdownStructure = {
  /** Normalized words, with repetitions. */
  words: string[];
  headings: string[];
  /** Tables as rows of cells. */
  tables: string[][][];
};

const COMMENT = /<!--[\s\S]*?-->/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', '#39': "'" };
const ENTITY = /&(amp|lt|gt|quot|nbsp|#39);/g;
const LINK_TARGET = /\]\((?:[^()\s]|\([^()]*\))*(?:\s+"[^"]*")?\)/g;
const DELIMITER_ROW = /^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$/;

/** Extracts words, headings and tables from a Markdown text; markup, comments and link targets are not words. */
export function structureOf(markdown: string): MarkdownStructure {
  const text = markdown.replace(COMMENT, '').replace(ENTITY, (_, name: string) => ENTITIES[name] ?? '');
  const headings: string[] = [];
  const tables: string[][][] = [];
  let rows: string[][] = [];
  let fence = '';
  for (const line of [...text.split('\n'), '']) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && (fence === '' || line.trim() === fence)) fence = fence === '' ? mark : '';
    const isRow = fence === '' && line.trimStart().startsWith('|');
    if (isRow && !DELIMITER_ROW.test(line.trim())) rows.push(cellsOf(line));
    if (!isRow && rows.length > 0) {
      tables.push(rows);
      rows = [];
    }
    const heading = fence === '' ? /^\s{0,3}#{1,6}\s+(.*)$/.exec(line)?.[1] : undefined;
    if (heading !== undefined) headings.push(wordsOf(heading).join(' '));
  }
  return { words: wordsOf(text), headings: headings.filter((heading) => heading !== ''), tables };
}

function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\||(?<!\\)\|$/g, '');
  return inner.split(/(?<!\\)\|/).map((cell) => wordsOf(cell).join(' '));
}

/** In scripts without word separators, or with line breaks inside words, each character counts as a word. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}])[\p{L}\p{M}\p{N}])+/gu;

/** Letters and digits in compatibility form and lower case, so that ligatures, quotes and dashes make no difference. */
function wordsOf(text: string): string[] {
  const plain = text
    .replace(LINK_TARGET, ']')
    .replace(/<\/?[a-z][^>]*>/gi, ' ')
    .normalize('NFKC')
    .toLowerCase();
  return plain.match(WORD) ?? [];
}
