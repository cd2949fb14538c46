import test from 'ava';
import type { Box, PdfLine, PdfPage } from '#providers/readers/pdf/page.ts';
import { removeRunningLines } from '#providers/readers/pdf/running-lines.ts';
import { pdf, type PdfText } from '#test/support/fixtures/documents.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

test('keeps the rows of a table of numbers at the edges of its pages', async (t) => {
  const rows = Array.from({ length: 120 }, (_, index) => [`${index + 1000}`, `${(index * 37) % 89}.5`, `${index * 3}`]);
  const pages = Array.from({ length: 4 }, (_, page): PdfText[] => [
    ...rows
      .slice(page * 30, page * 30 + 30)
      .flatMap((row, index) => row.map((text, x) => ({ text, x: 72 + x * 100, y: 760 - index * 20 }))),
    { text: `Page ${page + 1} of 4`, y: 40 },
  ]);
  const { text } = await readBytes(pdf(pages), { name: 'rows.pdf' });
  const missing = rows.filter(([id = '']) => !text.includes(id));
  t.deepEqual(missing, []);
  t.false(text.includes('Page 2 of 4'));
});

const box = (left: number, right: number, y: number): Box => ({ left, right, top: y + 10, bottom: y });
const line = (text: string, y: number): PdfLine => ({
  text,
  first: box(72, 300, y),
  last: box(72, 300, y),
  fontSize: 10,
  isBold: false,
  isMonospaced: false,
  words: [],
});
const pageOf = (texts: readonly string[], ruledLines: PdfPage['ruledLines'] = []): PdfPage => ({
  width: 595,
  height: 842,
  lines: texts.map((text, index) => line(text, 750 - index * 100)),
  ruledLines,
  isImage: false,
});

test('removes footers whose page number is a roman one, is counted per chapter, or counts two pages of a sheet', (t) => {
  const texts = ['a', 'b', 'c', 'd', 'e', 'f'];
  const footers: readonly (readonly string[])[] = [
    ['Preface i', 'Preface ii', 'Preface iii', 'Preface iv', 'Preface v', 'Preface vi'],
    ['Manual 1-1', 'Manual 1-2', 'Manual 1-3', 'Manual 2-1', 'Manual 2-2', 'Manual 2-3'],
    ['Notes 10 ACME', 'Notes 12 ACME', 'Notes 14 ACME', 'Notes 16 ACME', 'Notes 18 ACME', 'Notes 20 ACME'],
  ];
  for (const footer of footers) {
    const pages = texts.map((text, index) => pageOf([text, `${text} x`, `${text} y`, footer[index] ?? '']));
    const left = removeRunningLines(pages).flatMap((lines) => lines.map((one) => one.text));
    t.is(left.filter((text) => footer.includes(text)).length, footer[0] === 'Manual 1-1' ? 2 : 1, footer[0]);
  }
});

test('removes footers of a selection of pages, whose numbers have gaps', (t) => {
  const pages = ['3', '4', '17', '18', '40'].map((number, index) => {
    const { lines, ...page } = pageOf([`text ${index}`, `more ${index}`, `rest ${index}`]);
    return { ...page, lines: [...lines, line(`A long title of the whole book ${number}`, 40)] };
  });
  const left = removeRunningLines(pages).flatMap((lines) => lines.filter(({ text }) => text.startsWith('A long')));
  t.is(left.length, 1);
});

test('keeps the header that a ruled table has on each of its pages', (t) => {
  const rule = { isHorizontal: false, position: 150, start: 100, end: 760 };
  const rows = ['Id Name', '1 bolt', '2 nut', '3 gear', '4 axle', '5 cog'];
  const left = removeRunningLines(Array.from({ length: 4 }, () => pageOf(rows, [rule])));
  t.is(left.flat().filter(({ text }) => text === 'Id Name').length, 4);
  const frame = { ...rule, position: 60 };
  const framed = removeRunningLines(Array.from({ length: 4 }, () => pageOf(rows, [frame])));
  t.is(framed.flat().filter(({ text }) => text === 'Id Name').length, 1);
});

test('a watermark across the pages interrupts no sentence, is no heading, and is kept once', async (t) => {
  const sentence = ['The committee met in the morning to discuss the budget of the', 'coming year and of the one that'];
  const pageOfText = (number: number, watermark: readonly PdfText[]): PdfText[] => [
    { text: `Chapter ${number}`, size: 20, y: 750 },
    { text: `Part ${number}. ${sentence[0]}`, y: 700 },
    ...watermark,
    { text: `${sentence[1]} follows it.`, y: 686 },
  ];
  const read = async (watermark: readonly PdfText[]): Promise<string> =>
    (await readBytes(pdf([1, 2, 3].map((number) => pageOfText(number, watermark))), { name: 'a.pdf' })).text;
  const plain = await read([]);
  t.regex(plain, /^# Chapter 1\n\nPart 1\. .* of the coming year /);
  t.is(await read([{ text: 'CONFIDENTIAL', size: 60, x: 150, y: 300, angle: 45 }]), `CONFIDENTIAL\n\n${plain}`);
  t.is(await read([{ text: 'Printed by Jo', size: 9, x: 150, y: 300, angle: 30 }]), `Printed by Jo\n\n${plain}`);
});
