import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import { openPdfFile } from '#providers/readers/pdf/pdfium/pdf-file.ts';
import { pdf, pdfOfObjects } from '#test/support/fixtures/documents.ts';
import { pngOf } from '#test/support/fixtures/hostile/images.ts';
import { readBytes, withTemporaryFile } from '#test/support/fixtures/read-bytes.ts';
import { tiff } from '#test/support/fixtures/tiff.ts';

const SENTENCE = 'Otters hold hands while they are asleep.';
const page = pdf([[{ text: SENTENCE, size: 20, x: 60, y: 600 }]]);

type Drawn = { width: number; height: number; pixels: Buffer };

/** The page rendered, one byte per pixel. */
async function drawn(document = page): Promise<Drawn> {
  const bytes = await withTemporaryFile(document, async (path) => {
    const file = await openPdfFile(path);
    const found = file.renderPage(0);
    file.close();
    return Buffer.from(found ?? []);
  });
  const [header = '', width = 0, height = 0] =
    /^P5 (\d+) (\d+) 255\n/.exec(bytes.subarray(0, 32).toString('latin1')) ?? [];
  return { width: Number(width), height: Number(height), pixels: bytes.subarray(header.length) };
}

/** The page as a PNG image. */
async function picture(): Promise<Buffer> {
  const { width, height, pixels } = await drawn();
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.concat([Buffer.from([0]), pixels.subarray(y * width, (y + 1) * width)]),
  );
  return pngOf({ width, height, pixels: Buffer.concat(rows) });
}

/** The rendered page as a page of a PDF, with a line of text at its foot. */
function scan({ width, height, pixels }: Drawn, stamp: string): Buffer {
  const content = `q 595 0 0 842 0 0 cm /I Do Q BT /F 8 Tf 400 12 Td (${stamp}) Tj ET`;
  return pdfOfObjects(
    [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> /XObject << /I 6 0 R >> >> >>',
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8 /Length ${pixels.length} >>\nstream\n${pixels.toString('latin1')}\nendstream`,
    ],
    '/Size 7 /Root 1 0 R',
  );
}

test('recognizes text in an image, and rejects an image without text with `no_text`', async (t) => {
  const { text, notes, mediaType } = await readBytes(await picture(), { name: 'otters.png' });
  t.is(mediaType, 'image/png');
  t.is(text.trim(), SENTENCE);
  t.true(notes['ocr']);
  const blank = pngOf({ width: 300, height: 300, pixels: Buffer.alloc(300 * 301) });
  await t.throwsAsync(readBytes(blank, { name: 'blank.png' }), { code: 'no_text', message: /No text was recognized/ });
});

test('recognizes all pages of a TIFF image in either byte order, without previews', async (t) => {
  const [first, other] = [
    await drawn(),
    await drawn(pdf([[{ text: 'Swifts sleep in flight.', size: 20, x: 60, y: 600 }]])),
  ];
  const blank = { width: 300, height: 300, pixels: Buffer.alloc(90_000, 255) };
  const preview = { ...first, kind: 1 };
  for (const isBigEndian of [false, true]) {
    const { text, notes, pages } = await readBytes(tiff([first, preview, blank, other], { isBigEndian }), {
      name: 'a.tif',
    });
    t.is(text.trim(), `${SENTENCE}\n\nSwifts sleep in flight.`);
    t.like(notes, { page_count: 3, ocr_pages: 2, ocr: true });
    t.is(text.slice(pages[2]?.start).trim(), 'Swifts sleep in flight.');
  }
});

test('recognizes a TIFF image whose directory is behind the pixels, as scanners write it', async (t) => {
  const one = await drawn();
  for (const isBigEndian of [false, true]) {
    const bytes = tiff([one], { isBigEndian, isDirectoryLast: true });
    t.true(bytes.length > 65_536);
    t.is((await readBytes(bytes, { name: 'scan.tif' })).text.trim(), SENTENCE);
  }
});

test('reads TIFF images with circular, out-of-range or oversized pages to an end', async (t) => {
  const one = await drawn();
  t.is((await readBytes(tiff([one], { last: 8 }), { name: 'circle.tif' })).text.trim(), SENTENCE);
  t.is((await readBytes(tiff([one], { last: 0xffff_fff0 }), { name: 'outside.tif' })).text.trim(), SENTENCE);
  const huge = { width: 60_000, height: 60_000, pixels: Buffer.alloc(100) };
  const { text, notes } = await readBytes(tiff([huge, one]), { name: 'huge.tif' });
  t.is(text.trim(), SENTENCE);
  t.like(notes, { page_count: 2, ocr_pages: 1 });
  const cut = tiff([one, one]).subarray(0, 5_000);
  const error = await t.throwsAsync(readBytes(cut, { name: 'cut.tif' }), { instanceOf: AppError });
  t.true(['unreadable', 'no_text'].includes(error.code), error.code);
});

test('recognizes a scan that has a stamp as text at its foot', async (t) => {
  const { text, notes } = await readBytes(scan(await drawn(), 'ACME 000017'), { name: 'scan.pdf' });
  t.is(text, `${SENTENCE}\n\nACME 000017\n\n`);
  t.is(notes['ocr_pages'], 1);
  t.false('pages_without_text' in notes);
});

test('the reader ocr reads the pages of a PDF as images, whatever its text layer contains', async (t) => {
  const { text, pages, notes } = await readBytes(page, { name: 'otters.pdf', reader: 'ocr' });
  t.is(text.trim(), SENTENCE);
  t.deepEqual(pages, [{ page: 1, start: 0 }]);
  t.is(notes['ocr'], true);
});

test('rejects an image with too many pixels before decoding it', async (t) => {
  const huge = pngOf({ width: 60_000, height: 60_000, pixels: Buffer.alloc(10) });
  await t.throwsAsync(readBytes(huge, { name: 'huge.png' }), { code: 'read_memory_limit', message: /million pixels/ });
});
