import test from 'ava';
import { pdf, pdfOfObjects, type PdfText } from '#test/support/fixtures/documents.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

const WRAPPED = [
  'The committee met in the morning to discuss the budget of the coming',
  'year and agreed that every department should hand in its figures until',
  'the end of March.',
];

/** A page with the entry `/Rotate`, whose text is drawn so that it is upright when displayed. */
function turnedPage(rotate: 0 | 90 | 180 | 270): Buffer {
  const matrix = { 0: '1 0 0 1 0 0', 90: '0 1 -1 0 595 0', 180: '-1 0 0 -1 595 842', 270: '0 -1 1 0 0 842' }[rotate];
  const table = [
    ['Name', 'Size', 'Price'],
    ['Bolt', '3', '12'],
    ['Nut', '4', '15'],
  ];
  const text = (line: string, { x = 60, y, size = 11 }: { x?: number; y: number; size?: number }): string =>
    `BT /F ${size} Tf ${x} ${y} Td (${line}) Tj ET`;
  const content = [
    `q ${matrix} cm`,
    text('Yearly report', { y: 520, size: 20 }),
    ...WRAPPED.map((line, index) => text(line, { y: 480 - index * 14 })),
    ...table.flatMap((cells, row) =>
      cells.map((cell, column) => text(cell, { x: 60 + column * 120, y: 400 - row * 16 })),
    ),
    'Q',
  ].join('\n');
  return pdfOfObjects(
    [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Rotate ${rotate} /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ],
    '/Size 6 /Root 1 0 R',
  );
}

test('reads rotated and upside-down pages in display orientation', async (t) => {
  const upright = await readBytes(turnedPage(0), { name: 'r.pdf' });
  t.is(
    upright.text.trim(),
    `# Yearly report\n\n${WRAPPED.join(' ')}\n\n| Name | Size | Price |\n| --- | --- | --- |\n| Bolt | 3 | 12 |\n| Nut | 4 | 15 |`,
  );
  for (const rotate of [90, 180, 270] as const)
    t.is((await readBytes(turnedPage(rotate), { name: 'r.pdf' })).text, upright.text, `${rotate}`);
});

/** A form: its labels, and each widget with its entries and rectangle. */
function form(labels: readonly PdfText[], widgets: readonly { entries: string; rect: string }[]): Buffer {
  const content = labels.map(({ text, x, y }) => `BT /F 11 Tf ${x} ${y} Td (${text}) Tj ET`).join('\n');
  const ids = widgets.map((_, index) => `${index + 6} 0 R`).join(' ');
  return pdfOfObjects(
    [
      `<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [${ids}] >> >>`,
      '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Annots [${ids}] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      ...widgets.map(({ entries, rect }) => `<< /Type /Annot ${entries} /Rect [${rect}] >>`),
    ],
    `/Size ${widgets.length + 6} /Root 1 0 R`,
  );
}

test('puts the values of form fields after their labels', async (t) => {
  const states = '/AP << /N << /Yes 4 0 R /Off 4 0 R >> >>';
  const bytes = form(
    [
      { text: 'Name', x: 60, y: 700 },
      { text: 'Town', x: 60, y: 660 },
      { text: 'Agreed', x: 90, y: 620 },
      { text: 'Refused', x: 90, y: 580 },
    ],
    [
      { entries: '/Subtype /Widget /FT /Tx /T (town) /V (K\\366ln)', rect: '200 655 400 675' },
      { entries: '/Subtype /Widget /FT /Tx /T (name) /V (Erika Mustermann)', rect: '200 695 400 715' },
      { entries: `/Subtype /Widget /FT /Btn /T (a) /V /Yes /AS /Yes ${states}`, rect: '60 616 75 631' },
      { entries: `/Subtype /Widget /FT /Btn /T (b) /V /Off /AS /Off ${states}`, rect: '60 576 75 591' },
      { entries: '/Subtype /Widget /F 2 /FT /Tx /T (hidden) /V (unseen)', rect: '200 500 400 520' },
      { entries: '/Subtype /FreeText /Contents (Typed onto the page)', rect: '60 400 300 420' },
      { entries: '/Subtype /Text /Contents (A note that is closed)', rect: '60 300 80 320' },
    ],
  );
  const { text } = await readBytes(bytes, { name: 'form.pdf' });
  t.deepEqual(text.split(/\n+/).filter(Boolean), [
    'Name',
    'Erika Mustermann',
    'Town',
    'Köln',
    '[x]',
    'Agreed',
    'Refused',
    'Typed onto the page',
  ]);
});

test('keeps titles that differ only by number, and does not read a running header as a heading', async (t) => {
  const pages = [1, 2, 3, 4].map((week): PdfText[] => [
    { text: 'ACME handbook', size: 14, y: 815 },
    { text: `Week ${week}`, size: 18, y: 780 },
    ...WRAPPED.map((text, index) => ({ text, y: 740 - index * 14 })),
    { text: `Seite ${week} von 4`, size: 14, y: 20 },
  ]);
  const { text } = await readBytes(pdf(pages), { name: 'w.pdf' });
  t.deepEqual(text.match(/^#.*$/gm), ['# Week 1', '# Week 2', '# Week 3', '# Week 4']);
  t.is(text.match(/ACME handbook/g)?.length, 1);
  t.false(text.includes('Seite'));
});
