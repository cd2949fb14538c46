/* oxlint-disable eslint/no-underscore-dangle -- names of C functions as Emscripten exports them */
import test from 'ava';
import { deflateSync } from 'node:zlib';
import { PDFiumModule } from '@hyzyla/pdfium';
import { pdfOfObjects } from '#test/support/fixtures/documents.ts';
import { readPage } from '#providers/readers/pdf/pdfium/read-page.ts';
import { renderPage } from '#providers/readers/pdf/pdfium/render-page.ts';
import type { Pdfium } from '#providers/readers/pdf/pdfium/pdfium.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

const text = (line: string, y: number): string => `BT /F 11 Tf 72 ${y} Td (${line}) Tj ET`;
const onLayer = (name: string, content: string): string => `/OC /${name} BDC ${content} EMC`;

type Layered = {
  /** The content of the page; its layers are `/Hidden` and `/Shown`, objects 6 and 7. */
  content: string;
  /** The default configuration of the layers. */
  state: string;
  names?: { hidden: string; shown: string };
  /** Further objects, from number 9. */
  more?: readonly string[];
};

const RESOURCES = '/Font << /F 5 0 R >>';

/** The objects of a page with two layers and a form, which is object 8. */
function layeredObjects({
  content,
  state,
  names = { hidden: '(First)', shown: '(Second)' },
  more = [],
}: Layered): string[] {
  const form = text('Text of a form on the first layer', 640);
  return [
    `<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [6 0 R 7 0 R] /D << ${state} >> >> >>`,
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << ${RESOURCES} /Properties << /Hidden 6 0 R /Shown 7 0 R >> /XObject << /Form 8 0 R >> >> >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Type /OCG /Name ${names.hidden} >>`,
    `<< /Type /OCG /Name ${names.shown} >>`,
    `<< /Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << ${RESOURCES} >> /Length ${form.length} >>\nstream\n${form}\nendstream`,
    ...more,
  ];
}

function layered(options: Layered): Buffer {
  const objects = layeredObjects(options);
  return pdfOfObjects(objects, `/Size ${objects.length + 1} /Root 1 0 R`);
}

/** The same file as PDF 1.5 writes it: all objects but streams are in a compressed object stream, and the table is a stream. */
function compressed(options: Layered): Buffer {
  const objects = layeredObjects(options);
  const [packed, streamNumber] = [
    objects.flatMap((body, at) => (body.includes('stream') ? [] : at + 1)),
    objects.length + 1,
  ];
  const bodies = packed.map((number) => objects[number - 1] ?? '');
  const head = packed
    .map((number, at) => `${number} ${bodies.slice(0, at).join(' ').length + (at === 0 ? 0 : 1)}`)
    .join(' ');
  const data = deflateSync(`${head} ${bodies.join(' ')}`).toString('latin1');
  let file = '%PDF-1.5\n';
  const rows = objects.map((body, at) => {
    const index = packed.indexOf(at + 1);
    if (index >= 0) return [2, streamNumber, index];
    const row = [1, file.length, 0];
    file += `${at + 1} 0 obj\n${body}\nendobj\n`;
    return row;
  });
  rows.unshift([0, 0, 0]);
  rows.push([1, file.length, 0]);
  file += `${streamNumber} 0 obj\n<< /Type /ObjStm /N ${packed.length} /First ${head.length + 1} /Filter /FlateDecode /Length ${data.length} >>\nstream\n${data}\nendstream\nendobj\n`;
  const start = file.length;
  rows.push([1, start, 0]);
  const table = rows
    .map(([type = 0, at = 0, index = 0]) => String.fromCharCode(type, at >> 8, at & 255, index))
    .join('');
  file += `${streamNumber + 1} 0 obj\n<< /Type /XRef /W [1 2 1] /Size ${rows.length} /Root 1 0 R /Length ${table.length} >>\nstream\n${table}\nendstream\nendobj\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}

const linesOf = async (bytes: Buffer): Promise<string[]> =>
  (await readBytes(bytes, { name: 'a.pdf' })).text.trim().split('\n\n');

test('reads the text of layers that are on, and not of those that are off', async (t) => {
  const content = [
    text('Text on no layer', 760),
    onLayer('Hidden', text('Text on the first layer', 720)),
    onLayer('Shown', text('Text on the second layer', 680)),
    onLayer('Hidden', '/Form Do'),
    `/P << /MCID 0 >> BDC ${text('Text of a paragraph', 600)} EMC`,
  ].join('\n');
  const all = [
    'Text on no layer',
    'Text on the first layer',
    'Text on the second layer',
    'Text of a form on the first layer',
    'Text of a paragraph',
  ];
  const withoutFirst = all.filter((line) => !line.includes('first'));
  for (const state of ['', '/OFF []', '/BaseState /OFF /ON [6 0 R 7 0 R]', '/OFF [99 0 R]'])
    for (const write of [layered, compressed]) t.deepEqual(await linesOf(write({ content, state })), all, state);
  for (const state of ['/OFF [6 0 R]', '/OFF 9 0 R', '/BaseState /OFF /ON [7 0 R]'])
    for (const write of [layered, compressed])
      t.deepEqual(await linesOf(write({ content, state, more: ['[6 0 R]'] })), withoutFirst, state);
  for (const hidden of ['(F\\151rst \\(1\\))', '<FEFF00460069007200730074>', '((a) %)']) {
    const names = { hidden, shown: '(Second)' };
    t.deepEqual(await linesOf(layered({ content, state: '/OFF [6 0 R]', names })), withoutFirst, hidden);
  }
});

test('reads the text of a layer with the name of another one that is off', async (t) => {
  const content = onLayer('Shown', text('Text that is shown', 720));
  const names = { hidden: '(Text)', shown: '<54657874>' };
  t.deepEqual(await linesOf(layered({ content, state: '/OFF [6 0 R]', names })), ['Text that is shown']);
});

test('the last revision of a file decides which layers are off', async (t) => {
  const content = `${onLayer('Hidden', text('Text of the layer', 720))} ${text('Text on no layer', 680)}`;
  const before = layered({ content, state: '/OFF [6 0 R]' });
  t.deepEqual(await linesOf(before), ['Text on no layer']);
  const [catalog = ''] = layeredObjects({ content, state: '' });
  const previous = /startxref\s+(\d+)/.exec(before.toString('latin1'))?.[1];
  const revision = `1 0 obj\n${catalog}\nendobj\n`;
  const table = `xref\n1 1\n${String(before.length).padStart(10, '0')} 00000 n \ntrailer\n<< /Size 9 /Root 1 0 R /Prev ${previous} >>\nstartxref\n${before.length + revision.length}\n%%EOF\n`;
  t.deepEqual(await linesOf(Buffer.concat([before, Buffer.from(revision + table)])), [
    'Text of the layer',
    'Text on no layer',
  ]);
});

test('reads the recognized text of a scan on a layer that is on, although nothing of it is visible', async (t) => {
  const invisible = `3 Tr ${text('Recognized text', 700)}`;
  const contents = {
    invisible,
    'beside a visible line': `${text('A visible line', 740)} ${invisible}`,
    'beneath the image of the page': `${text('Recognized text', 700)} 0.9 g 0 0 595 842 re f`,
  };
  for (const state of ['', '/OFF [6 0 R]'])
    for (const [title, content] of Object.entries(contents)) {
      const bytes = layered({ content: onLayer('Shown', content), state });
      t.true((await linesOf(bytes)).includes('Recognized text'), `${title} ${state}`);
    }
});

test('reading the text of a page with layers does not draw it, which may take long', async (t) => {
  const pdfium = (await PDFiumModule({})) as unknown as Pdfium;
  pdfium._FPDF_InitLibrary();
  const draw = pdfium._FPDF_RenderPageBitmap.bind(pdfium);
  let drawn = 0;
  pdfium._FPDF_RenderPageBitmap = (...args) => {
    drawn += 1;
    draw(...args);
  };
  const bytes = layered({ content: onLayer('Hidden', text('Text', 700)), state: '' });
  const data = pdfium._malloc(bytes.length);
  pdfium.HEAPU8.set(bytes, data);
  const document = pdfium._FPDF_LoadMemDocument(data, bytes.length, 0);
  const linesWithout = (...names: string[]): string[] | undefined =>
    readPage(pdfium, { document, form: 0, hiddenLayers: new Set(names) }, 0)?.lines.map((line) => line.text);
  t.deepEqual(linesWithout(), ['Text']);
  t.deepEqual(linesWithout('First'), []);
  t.is(drawn, 0);
  renderPage(pdfium, document, 0);
  t.is(drawn, 1);
});
