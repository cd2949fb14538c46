import { RECORD, type PptRecord } from './ppt-records.ts';

/** `isItem`: it has a bullet or a number; null when it has what its kind of text has by default. */
export type PptParagraph = { text: string; level: number; isItem: boolean | null };

/** Texts of one byte per character are the first 256 of Unicode. */
const PARAGRAPH_END = '\r';
const MAX_LEVEL = 4;

/** The text of a shape: its kind ([MS-PPT] 2.13.33), and its paragraphs. */
export type PptText = { type: number; paragraphs: PptParagraph[] };

/** Reads a text from its records: header, characters, styles. Null without characters. */
export function readPptText(records: readonly PptRecord[]): PptText | null {
  const find = (type: number): Buffer | undefined => records.find((record) => record.type === type)?.data;
  const [chars, bytes] = [find(RECORD.textChars), find(RECORD.textBytes)];
  const text = chars?.toString('utf16le') ?? bytes?.toString('latin1');
  if (text === undefined) return null;
  const header = find(RECORD.textHeader);
  return { type: header?.readUInt32LE(0) ?? 4, paragraphs: paragraphsOf(text, find(RECORD.textStyle)) };
}

/** Splits a text into paragraphs, with their levels. */
function paragraphsOf(text: string, style: Buffer | undefined): PptParagraph[] {
  const runs = style ? paragraphRuns(style, text.length + 1) : [];
  let [place, run, end] = [0, 0, runs[0]?.length ?? 0];
  return text.split(PARAGRAPH_END).map((line) => {
    while (place >= end && run + 1 < runs.length) end += runs[++run]?.length ?? 0;
    place += line.length + 1;
    const { level = 0, isItem = null } = runs[run] ?? {};
    return { text: line, level, isItem };
  });
}

type ParagraphRun = { length: number; level: number; isItem: boolean | null };

/** Bits of the mask, in the order of their fields, with the bytes of these ([MS-PPT] 2.9.20). */
const FIELDS: readonly (readonly [mask: number, bytes: number])[] = [
  [0x0000_0080, 2],
  [0x0000_0010, 2],
  [0x0000_0040, 2],
  [0x0000_0020, 4],
  [0x0000_0800, 2],
  [0x0000_1000, 2],
  [0x0000_2000, 2],
  [0x0000_4000, 2],
  [0x0000_0100, 2],
  [0x0000_0400, 2],
  [0x0000_8000, 2],
];
const LATER_FIELDS: readonly (readonly [mask: number, bytes: number])[] = [
  [0x0001_0000, 2],
  [0x000e_0000, 2],
  [0x0020_0000, 2],
];
const [BULLET_FLAGS, HAS_BULLET, TAB_STOPS] = [0x0f, 0x01, 0x0010_0000];

/** The runs of paragraphs with the same style, until they have covered the text. */
function paragraphRuns(style: Buffer, length: number): ParagraphRun[] {
  const runs: ParagraphRun[] = [];
  let at = 0;
  for (let covered = 0; covered < length && at + 10 <= style.length;) {
    const count = style.readUInt32LE(at);
    const level = Math.min(MAX_LEVEL, style.readUInt16LE(at + 4));
    const mask = style.readUInt32LE(at + 6);
    at += 10;
    let isItem: boolean | null = null;
    if ((mask & BULLET_FLAGS) !== 0) {
      if ((mask & HAS_BULLET) !== 0) isItem = (style.readUInt16LE(at) & HAS_BULLET) !== 0;
      at += 2;
    }
    at += bytesOf(FIELDS, mask);
    if ((mask & TAB_STOPS) !== 0) at += 2 + style.readUInt16LE(at) * 4;
    at += bytesOf(LATER_FIELDS, mask);
    runs.push({ length: count, level, isItem });
    // A run of nothing would go on for ever.
    covered += Math.max(1, count);
  }
  return runs;
}

function bytesOf(fields: readonly (readonly [mask: number, bytes: number])[], mask: number): number {
  return fields.reduce((sum, [bit, bytes]) => ((mask & bit) === 0 ? sum : sum + bytes), 0);
}
