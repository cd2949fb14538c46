import type { Box } from './page.ts';

/** A character of a line with its place on the page. */
export type PlacedCharacter = { text: string; box: Box };

/** Scripts that are written from right to left, and their presentation forms. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const RIGHT_TO_LEFT_LETTERS = /(?=\p{L})[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/gu;
const LETTERS = /\p{L}/gu;
const ARABIC = /[\u0600-\u08ff\ufb50-\ufdff\ufe70-\ufefc]/;
const ARABIC_DIGIT = /[\u0660-\u0669\u066b\u066c]/;
const DIGIT = /[\d\u06f0-\u06f9]/;
const MARK = /\p{M}/u;
/** Ligatures of one code point, as pdfium decomposes them. */
const DECOMPOSED_LIGATURE = /^(?:ل[آأإا]|الله$)/;
/** In points; smaller than any distance between characters. */
const TINY = 0.01;
/** How far the character after a space that pdfium inserted may be from the place of the space, in line heights. */
const MAX_SPACE_OFFSET = { before: 0.3, after: 0.12 };
/** Numbers next to Arabic: only these separators belong to them (rules W4 to W7 of the Unicode bidirectional algorithm). */
const NUMBER_NEAR_ARABIC = /\d+(?:[.,:/]\d+)*/g;
const NUMBER_NEAR_HEBREW = /(?:[%$€£₪#°+-]*)\d+(?:[-+.,:/]\d+)*[%$€£₪#°]*/g;
/** Words and numbers from left to right, as classes; a number after them belongs to them when only one character is between. */
const WORDS = /[LN](?:[LNO]*L)?(?:O?N+)*/g;
const RIGHT_TO_LEFT_SPAN = /[RA](?:[RANO]*[RA])?/g;
const BRACKETS: readonly (readonly [open: string, close: string])[] = [
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
  ['«', '»'],
];
const ANY_BRACKET: ReadonlySet<string> = new Set(BRACKETS.flat());
/** Longer lines are no text that people read; ordering them takes time that grows with the square of their length. */
const MAX_LINE_LENGTH = 4_000;
/** A line in which this share of the letters has the other direction has that direction. */
const OTHER_DIRECTION_SHARE = 0.75;

/** Whether a text contains characters of a script that is written from right to left. */
export function hasRightToLeftText(text: string): boolean {
  return RIGHT_TO_LEFT.test(text);
}

/** Whether most letters of the text are of scripts written from right to left. */
export function isMostlyRightToLeft(text: string): boolean {
  return rightToLeftShare(text) > 0.5;
}

/**
 * The characters of a line in the order of reading, which is restored from their places: the reverse of the Unicode
 * bidirectional algorithm (UAX 9). What that algorithm displays alike is read as one phrase in Latin script where possible:
 * `HTML 5`. `isPageRightToLeft` decides the direction of lines in both directions.
 */
export function readingOrder(
  characters: readonly PlacedCharacter[],
  isPageRightToLeft: boolean,
): { characters: PlacedCharacter[]; isRightToLeft: boolean } {
  if (characters.length > MAX_LINE_LENGTH) return { characters: [...characters], isRightToLeft: false };
  const visual = visualOrder(characters);
  const isRightToLeft = isLineRightToLeft(visual, isPageRightToLeft);
  const ordered = isRightToLeft ? reverseExceptNumbers(visual) : reverseRightToLeftSpans(visual);
  return { characters: facingBrackets(ordered), isRightToLeft };
}

type Glyph = { at: number; letters: PlacedCharacter[]; marks: PlacedCharacter[] };

/** From left to right. The letters of one glyph stay together, and marks stay with the letter that they follow. */
function visualOrder(characters: readonly PlacedCharacter[]): PlacedCharacter[] {
  const glyphs: Glyph[] = [];
  const insertedSpaces: Glyph[] = [];
  for (const character of characters) {
    const last = glyphs.at(-1);
    const { left, right } = character.box;
    if (last && MARK.test(character.text)) last.marks.push(character);
    else if (last?.at === left && RIGHT_TO_LEFT.test(character.text)) last.letters.push(character);
    else {
      glyphs.push({ at: left, letters: [character], marks: [] });
      if (character.text === ' ' && right <= left) insertedSpaces.push(...glyphs.slice(-1));
    }
  }
  if (insertedSpaces.length > 0) placeInsertedSpaces(glyphs, new Set(insertedSpaces));
  glyphs.sort((a, b) => a.at - b.at);
  return glyphs.flatMap(({ letters, marks }) => [...lettersInOrder(letters), ...marks].reverse());
}

/**
 * Places the spaces that pdfium inserted, which have no width and a place only near the gap: between the characters before and
 * after them if these are neighbors on the page, else in the widest gap nearby.
 */
function placeInsertedSpaces(glyphs: readonly Glyph[], spaces: ReadonlySet<Glyph>): void {
  const visible = glyphs.filter((glyph) => !spaces.has(glyph)).sort((a, b) => a.at - b.at);
  const places = new Map(visible.map((glyph, index) => [glyph, index]));
  for (const [index, space] of glyphs.entries()) {
    if (!spaces.has(space)) continue;
    const [before, after] = [glyphs[index - 1], glyphs[index + 1]];
    const [a, b] = [before && places.get(before), after && places.get(after)];
    const areNeighbors = before && after && a !== undefined && b !== undefined && Math.abs(a - b) === 1;
    space.at = (areNeighbors ? Math.max(before.at, after.at) : widestGap(space, visible)) - TINY;
  }
}

/** The left edge of the character after the widest gap near the space. */
function widestGap({ at }: Glyph, sorted: readonly Glyph[]): number {
  let best = { at, gap: -Infinity };
  let right = -Infinity;
  for (const { at: left, letters } of sorted) {
    const { top = 0, bottom = 0, right: end = left } = letters[0]?.box ?? {};
    const height = top - bottom;
    const isNear = left > at - MAX_SPACE_OFFSET.before * height && left < at + MAX_SPACE_OFFSET.after * height;
    if (isNear && left - right > best.gap) best = { at: left, gap: left - right };
    right = end;
  }
  return best.at;
}

/**
 * The letters of a glyph in the order of reading. pdfium reverses the letters of a ligature together with the line, except for
 * those that it decomposes itself, which begin with lam and alef or are the name of God.
 */
function lettersInOrder(letters: readonly PlacedCharacter[]): PlacedCharacter[] {
  const text = letters.map((letter) => letter.text).join('');
  return letters.length < 2 || DECOMPOSED_LIGATURE.test(text) ? [...letters] : letters.toReversed();
}

function isLineRightToLeft(visual: readonly PlacedCharacter[], isPageRightToLeft: boolean): boolean {
  const text = visual.map((character) => character.text).join('');
  const share = rightToLeftShare(text);
  const letters = text.match(LETTERS) ?? [];
  const edges = [letters[0] ?? '', letters.at(-1) ?? ''].map(hasRightToLeftText);
  if (share === 1) return true;
  if (isPageRightToLeft) return share >= 1 - OTHER_DIRECTION_SHARE || edges.includes(true);
  return share > OTHER_DIRECTION_SHARE && !edges.includes(false);
}

function rightToLeftShare(text: string): number {
  const letters = text.match(LETTERS)?.length ?? 0;
  return letters === 0 ? 0 : (text.match(RIGHT_TO_LEFT_LETTERS)?.length ?? 0) / letters;
}

/** Reverses the characters, but keeps the direction of numbers and of phrases in scripts written from left to right. */
function reverseExceptNumbers(visual: readonly PlacedCharacter[]): PlacedCharacter[] {
  const text = visual.map((character) => character.text).join('');
  const number = ARABIC.test(text) ? NUMBER_NEAR_ARABIC : NUMBER_NEAR_HEBREW;
  const kept: { start: number; end: number }[] = [];
  const keep = (start: number, end: number): void => void kept.push({ start, end });
  for (const { 0: span, index } of visual.map(classOf).join('').matchAll(WORDS))
    if (span.includes('L')) keep(index, index + span.length);
  const digits = visual.map(({ text: one }) => (ARABIC_DIGIT.test(one) || DIGIT.test(one) ? '0' : one.slice(0, 1)));
  for (const { 0: span, index } of digits.join('').matchAll(number)) {
    const isInside = kept.some(({ start, end }) => index < end && start < index + span.length);
    if (!isInside) keep(index, index + span.length);
  }
  const ordered: PlacedCharacter[] = [];
  let end = visual.length;
  for (const span of kept.sort((a, b) => b.start - a.start)) {
    ordered.push(...visual.slice(span.end, end).reverse(), ...visual.slice(span.start, span.end));
    end = span.start;
  }
  return [...ordered, ...visual.slice(0, end).reverse()];
}

function reverseRightToLeftSpans(visual: readonly PlacedCharacter[]): PlacedCharacter[] {
  const ordered: PlacedCharacter[] = [];
  let at = 0;
  for (const { 0: span, index } of visual.map(classOf).join('').matchAll(RIGHT_TO_LEFT_SPAN)) {
    ordered.push(...visual.slice(at, index), ...reverseExceptNumbers(visual.slice(index, index + span.length)));
    at = index + span.length;
  }
  return [...ordered, ...visual.slice(at)];
}

type CharacterClass = 'R' | 'L' | 'A' | 'N' | 'O';
const classes = new Map<string, CharacterClass>();

/** One letter per character: right to left, left to right, Arabic digit, other digit, or other. */
function classOf({ text }: PlacedCharacter): CharacterClass {
  let found = classes.get(text);
  // Few characters occur again and again; the number of code units is bounded.
  if (found === undefined) classes.set(text, (found = classify(text)));
  return found;
}

function classify(text: string): CharacterClass {
  if (DIGIT.test(text)) return 'N';
  if (ARABIC_DIGIT.test(text)) return 'A';
  if (RIGHT_TO_LEFT.test(text)) return /[\p{L}\p{M}]/u.test(text) ? 'R' : 'O';
  return /\p{L}/u.test(text) ? 'L' : 'O';
}

/**
 * Turns brackets that do not face each other: pdfium mirrors some, and some files map mirrored glyphs to the character that was
 * typed. A bracket without its pair opens before a word and closes after one.
 */
function facingBrackets(characters: readonly PlacedCharacter[]): PlacedCharacter[] {
  if (!characters.some(({ text }) => ANY_BRACKET.has(text))) return [...characters];
  const turned = [...characters];
  const isBlankAt = (at: number): boolean => (turned[at]?.text ?? ' ').trim() === '';
  for (const pair of BRACKETS) {
    const places = [...turned.keys()].filter((at) => pair.includes(turned[at]?.text ?? ''));
    if (isBalanced(places.map((at) => turned[at]?.text === pair[0]))) continue;
    for (const [index, at] of places.entries()) {
      const character = turned[at];
      const isPaired = places.length % 2 === 0;
      if (!character || (!isPaired && isBlankAt(at - 1) === isBlankAt(at + 1))) continue;
      const isOpen = isPaired ? index % 2 === 0 : isBlankAt(at - 1);
      turned[at] = { ...character, text: isOpen ? pair[0] : pair[1] };
    }
  }
  return turned;
}

function isBalanced(opens: readonly boolean[]): boolean {
  let depth = 0;
  for (const isOpen of opens) {
    depth += isOpen ? 1 : -1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
