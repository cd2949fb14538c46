import test from 'ava';
import { openPdf } from '../../providers/readers/pdfium.ts';
import { pdf } from '../support/documents.ts';
import { pngOf } from '../support/hostile/pictures.ts';
import { readBytes, withFile } from '../support/read-bytes.ts';

const SENTENCE = 'Otters hold hands while they are asleep.';
const page = pdf([[{ text: SENTENCE, size: 20, x: 60, y: 600 }]]);

/** A page drawn, as a PNG picture. */
async function picture(): Promise<Buffer> {
  const drawn = await withFile(page, async (path) => {
    const file = await openPdf(path);
    const bytes = file.picture(0);
    file.close();
    return Buffer.from(bytes ?? []);
  });
  const [header = '', width = 0, height = 0] =
    /^P5 (\d+) (\d+) 255\n/.exec(drawn.subarray(0, 32).toString('latin1')) ?? [];
  const rows = Array.from({ length: Number(height) }, (_, y) => {
    const start = header.length + y * Number(width);
    return Buffer.concat([Buffer.from([0]), drawn.subarray(start, start + Number(width))]);
  });
  return pngOf({ width: Number(width), height: Number(height), pixels: Buffer.concat(rows) });
}

test('text in a picture is recognised, and a picture without any says so', async (t) => {
  const { text, notes, mediaType } = await readBytes(await picture(), { name: 'otters.png' });
  t.is(mediaType, 'image/png');
  t.is(text.trim(), SENTENCE);
  t.true(notes['ocr']);
  const blank = pngOf({ width: 300, height: 300, pixels: Buffer.alloc(300 * 301) });
  await t.throwsAsync(readBytes(blank, { name: 'blank.png' }), { code: 'no_text', message: /No text was recognised/ });
});

test('the reader ocr reads the pages of a PDF as pictures, whatever its text layer says', async (t) => {
  const { text, pages, notes } = await readBytes(page, { name: 'otters.pdf', reader: 'ocr' });
  t.is(text.trim(), SENTENCE);
  t.deepEqual(pages, [{ page: 1, start: 0 }]);
  t.is(notes['ocr'], true);
});

test('a picture of more pixels than are read is refused before it is decoded', async (t) => {
  const huge = pngOf({ width: 60_000, height: 60_000, pixels: Buffer.alloc(10) });
  await t.throwsAsync(readBytes(huge, { name: 'huge.png' }), { code: 'read_memory_limit', message: /million pixels/ });
});
