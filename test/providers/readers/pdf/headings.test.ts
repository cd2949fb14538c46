import test from 'ava';
import { headingLevel, measureDocumentStyle } from '#providers/readers/pdf/headings.ts';
import type { PdfLine } from '#providers/readers/pdf/page.ts';
import { pdf, pdfOfObjects, type PdfText } from '#test/support/fixtures/documents.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

const PROSE = [
  'The committee met in the morning to discuss the budget of the coming year',
  'and agreed that every department should hand in its figures until March.',
];
type Section = { title: readonly string[]; isBold?: boolean; size?: number; gap?: number };

/** Sections of a title directly above a paragraph, with space above the title only. */
function page(sections: readonly Section[]): PdfText[] {
  let y = 790;
  return sections.flatMap(({ title, isBold = false, size = 11, gap = 26 }) => {
    const lines = [
      ...title.map((text) => ({ text, isBold, size })),
      ...PROSE.map((text) => ({ text, isBold: false, size: 11 })),
    ];
    return lines.map((line, index) => {
      y -= index === 0 ? gap : 13;
      return { ...line, y };
    });
  });
}

async function headingsOf(...pages: (readonly PdfText[])[]): Promise<string[]> {
  const { text } = await readBytes(pdf(pages), { name: 'a.pdf' });
  return Array.from(text.matchAll(/^#+ (.*)$/gm), ([, heading = '']) => heading);
}

test('reads bold titles directly above a paragraph, numbered ones with a period or colon at the end', async (t) => {
  const titles = ['Scope of the review', '2. Definitions.', 'Article 4 - Liability:', 'A. Appendix', 'Section 3 Terms'];
  t.deepEqual(await headingsOf(page(titles.map((title) => ({ title: [title], isBold: true })))), titles);
  t.deepEqual(await headingsOf(page(titles.map((title) => ({ title: [title], isBold: true, size: 9.5 })))), titles);
});

test('reads a bold title of two lines as one, and a section with its first part as two', async (t) => {
  const wrapped = ['A long title that says in detail what the section', 'below is about'];
  const sections = [
    { title: wrapped, isBold: true },
    { title: ['2 Methods', '2.1 Data'], isBold: true },
  ];
  t.deepEqual(await headingsOf(page(sections)), [wrapped.join(' '), '2 Methods', '2.1 Data']);
});

test('does not read bold names, captions and lines of a table of contents as headings', async (t) => {
  const names = ['Anna Smith', 'Bernd Jones', 'Carla Brown'].map((text, index) => ({
    text,
    isBold: true,
    y: 300 - index * 13,
  }));
  const others = [
    { text: 'Table 2: Figures of the departments', isBold: true, y: 200 },
    { text: '3 Results . . . . . . . . . . . . . . . . 17', isBold: true, y: 150 },
  ];
  const sections = ['Scope', 'Findings', 'Next steps'].map((title) => ({ title: [title], isBold: true }));
  const text = [...page(sections), ...names, ...others];
  t.deepEqual(await headingsOf(text), ['Scope', 'Findings', 'Next steps']);
});

test('reads titles in capitals and numbered titles above a paragraph, in the font of the text', async (t) => {
  const titles = [
    'INTRODUCTION',
    '2. APPROXIMATE COMPARISON',
    '2.1 Overall comparison of methods',
    '3. Results and Discussion',
  ];
  t.deepEqual(await headingsOf(page(titles.map((title) => ({ title: [title] })))), titles);
  const marked = ['(1) What the law says', '(2) What the terms say'];
  t.deepEqual(await headingsOf(page(marked.map((title) => ({ title: [title], size: 11.9 })))), marked);
});

test('does not read items of a list, or capitals within a paragraph, as headings', async (t) => {
  const items = ['1. Wash the apples and the pears', '(2) Cut them', '3. Serve with cream.'];
  t.deepEqual(await headingsOf(page(items.map((title) => ({ title: [title] })))), []);
  t.deepEqual(
    await headingsOf(
      page([
        { title: ['NOT FOR SALE'], gap: 13 },
        { title: ['NOT FOR SALE'], gap: 13 },
      ]).slice(1),
    ),
    [],
  );
});

/** Lines below one another at sizes in points, some in a font whose characters are far higher at the same size. */
function fontsPdf(lines: readonly { text: string; isHigh?: boolean; marker?: string; size?: number }[]): Buffer {
  const content = lines
    .map(({ text, isHigh = false, marker, size = 11 }, index) => {
      const at = `1 0 0 1 72 ${780 - index * 30} Tm`;
      const drawnMarker = marker === undefined ? '' : `/F1 14 Tf ${at} (${marker}) Tj 24 0 Td`;
      return `BT ${drawnMarker || at} /${isHigh ? 'F2' : 'F1'} ${size} Tf (${text}) Tj ET`;
    })
    .join('\n');
  const widths = Array.from({ length: 256 }, () => 500).join(' ');
  return pdfOfObjects(
    [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>',
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
      `<< /Type /Font /Subtype /TrueType /BaseFont /High /Encoding /WinAnsiEncoding /FirstChar 0 /LastChar 255 /Widths [${widths}] /FontDescriptor 7 0 R >>`,
      '<< /Type /FontDescriptor /FontName /High /Flags 32 /FontBBox [0 -400 1000 1200] /ItalicAngle 0 /Ascent 1200 /Descent -400 /CapHeight 700 /StemV 80 >>',
    ],
    '/Size 8 /Root 1 0 R',
  );
}

test('text in another font of the same size is no heading, and a title in either font is one', async (t) => {
  const lines = [
    { text: 'Title of the contract', size: 16 },
    ...PROSE.map((text) => ({ text })),
    { text: 'The same paragraph in another language', isHigh: true },
    ...PROSE.map((text) => ({ text })),
    { text: 'Terms of payment', size: 16, isHigh: true },
    ...PROSE.map((text) => ({ text })),
  ];
  const { text } = await readBytes(fontsPdf(lines), { name: 'a.pdf' });
  t.deepEqual(text.match(/^#.*$/gm), ['# Title of the contract', '# Terms of payment']);
});

test('items of a list whose markers are larger than their text are no headings', async (t) => {
  const items = ['alpha', 'beta', 'gamma'].map((text, index) => ({ text, marker: `(${'abc'.charAt(index)})` }));
  const lines = [...PROSE.map((text) => ({ text })), ...items, ...PROSE.map((text) => ({ text }))];
  const { text } = await readBytes(fontsPdf(lines), { name: 'a.pdf' });
  t.is(text.match(/^#.*$/gm), null);
  t.regex(text, /^\(a\) alpha$/m);
});

test('a large line that ends like a Chinese or Japanese sentence is no heading', (t) => {
  const box = { left: 72, right: 500, top: 710, bottom: 700 };
  const line = (text: string, fontSize: number): PdfLine => ({
    text,
    fontSize,
    first: box,
    last: box,
    isBold: false,
    isMonospaced: false,
    words: [],
  });
  const lines = ['吾輩は猫である。', '买方付款，', '条件：', '付款条件'].map((text) => line(text, 16));
  const body = line('供应商将全部货物交付至买方主仓库，买方应在到货后五个工作日内验收', 11);
  const style = measureDocumentStyle([[...lines, body, body, body]]);
  t.deepEqual(
    lines.map((large) => headingLevel(large, style)),
    [0, 0, 0, 1],
  );
});
