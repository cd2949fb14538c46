import test from 'ava';
import { pdf, type PdfText } from '#test/support/fixtures/documents.ts';
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
