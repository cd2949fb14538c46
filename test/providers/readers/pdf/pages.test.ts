import test from 'ava';
import { pdf, pdfOfObjects, type PdfText } from '#test/support/fixtures/documents.ts';
import { cutPage } from '#test/support/fixtures/cut-page.ts';
import { openPdfFile } from '#providers/readers/pdf/pdfium/pdf-file.ts';
import { readBytes, withTemporaryFile } from '#test/support/fixtures/read-bytes.ts';

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
  const content = labels.map(({ text, x, y, size = 11 }) => `BT /F ${size} Tf ${x} ${y} Td (${text}) Tj ET`).join('\n');
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

test('puts the values of form fields after their labels, without hidden ones and passwords', async (t) => {
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
      { entries: '/Subtype /Widget /FT /Tx /Ff 8192 /T (pin) /V (s3cret)', rect: '200 540 400 560' },
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

test('the value of a form field is no heading, whatever the size of its label', async (t) => {
  const labels = [
    { text: 'Applicant', x: 60, y: 700, size: 20 },
    ...WRAPPED.map((text, line) => ({ text, x: 60, y: 600 - line * 14 })),
  ];
  const value = { entries: '/Subtype /Widget /FT /Tx /T (name) /V (Erika Mustermann)', rect: '200 692 400 716' };
  const { text } = await readBytes(form(labels, [value]), { name: 'form.pdf' });
  t.is(text.trim(), ['# Applicant', 'Erika Mustermann', WRAPPED.join(' ')].join('\n\n'));
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

const SHEET: readonly PdfText[] = [
  { text: 'Upper left', x: 50, y: 700 },
  { text: 'Upper right', x: 350, y: 700 },
  { text: 'Lower left', x: 50, y: 200 },
  { text: 'Lower right', x: 350, y: 200 },
  { text: 'Beside the sheet', x: -400, y: 700 },
];

test('reads only the text inside the visible part of the page', async (t) => {
  const boxes = {
    '/MediaBox [0 0 600 800] /CropBox [300 400 600 800]': 'Upper right',
    '/MediaBox [0 0 600 800] /CropBox [300 400 600 800] /Rotate 90': 'Upper right',
    '/MediaBox [0 0 600 800] /CropBox [0 0 300 400] /Rotate 270': 'Lower left',
    '/MediaBox [300 0 600 400]': 'Lower right',
    '/MediaBox [-500 400 300 800] /CropBox [-450 600 -100 800]': 'Beside the sheet',
    '/MediaBox [0 0 300 800] /CropBox [-1000 -1000 3000 3000]': 'Upper left\n\nLower left',
  };
  for (const [entries, expected] of Object.entries(boxes))
    t.is((await readBytes(cutPage(entries, SHEET), { name: 'cut.pdf' })).text.trim(), expected, entries);
});

test('reads a table and a page number on a page whose box does not begin at 0', async (t) => {
  const cells = [
    ['Name', 'Size'],
    ['Bolt', '3'],
    ['Nut', '4'],
  ];
  const page = (left: number, bottom: number): Buffer =>
    cutPage(
      `/MediaBox [${left} ${bottom} ${left + 595} ${bottom + 842}]`,
      [
        ...cells.flatMap((row, y) =>
          row.map((text, x) => ({ text, x: left + 80 + x * 100, y: bottom + 600 - y * 20 })),
        ),
        ...WRAPPED.map((text, line) => ({ text, x: left + 80, y: bottom + 500 - line * 14 })),
        { text: '17', x: left + 300, y: bottom + 30 },
      ],
      [0, 1, 2, 3]
        .flatMap((line) => [
          `${left + 70} ${bottom + 615 - line * 20} m ${left + 270} ${bottom + 615 - line * 20} l S`,
          `${left + 70 + Math.min(2, line) * 100} ${bottom + 615} m ${left + 70 + Math.min(2, line) * 100} ${bottom + 555} l S`,
        ])
        .join('\n'),
    );
  const { text } = await readBytes(page(0, 0), { name: 'a.pdf' });
  t.is(text.trim(), `| Name | Size |\n| --- | --- |\n| Bolt | 3 |\n| Nut | 4 |\n\n${WRAPPED.join(' ')}`);
  t.is((await readBytes(page(-2000, 3000), { name: 'a.pdf' })).text, text);
});

test('reads a PDF document behind other bytes', async (t) => {
  const document = pdf([[{ text: 'The report' }]]);
  for (const prefix of ['\r\n\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 700\r\n\r\n', '\0'.repeat(1000)]) {
    const bytes = Buffer.concat([Buffer.from(prefix), document]);
    t.is((await readBytes(bytes, { name: 'a.pdf' })).text.trim(), 'The report');
  }
});

test('a scan with a watermark across it is an image to recognize, and one with a line of text within is not', async (t) => {
  const scanWith = (matrix: string): Buffer => {
    const content = `q 595 0 0 842 0 0 cm /I Do Q BT /F 40 Tf ${matrix} Tm (CONFIDENTIAL) Tj ET`;
    return pdfOfObjects(
      [
        '<< /Type /Catalog /Pages 2 0 R >>',
        '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> /XObject << /I 6 0 R >> >> >>',
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
        '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
        '<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>\nstream\n0\nendstream',
      ],
      '/Size 7 /Root 1 0 R',
    );
  };
  const isImage = (bytes: Buffer): Promise<boolean | undefined> =>
    withTemporaryFile(bytes, async (path) => {
      const file = await openPdfFile(path);
      const page = file.readPage(0);
      file.close();
      return page?.isImage;
    });
  t.true(await isImage(scanWith('0.7071 0.7071 -0.7071 0.7071 150 300')));
  t.false(await isImage(scanWith('1 0 0 1 150 300')));
});
