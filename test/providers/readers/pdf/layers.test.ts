import test from 'ava';
import { pdfOfObjects } from '#test/support/fixtures/documents.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

const text = (line: string, y: number): string => `BT /F 11 Tf 72 ${y} Td (${line}) Tj ET`;
const onLayer = (name: string, content: string): string => `/OC /${name} BDC ${content} EMC`;

/** A page with text on no layer, on layers that are on and off, in a form on a layer that is off, and marked as a paragraph. */
function layered(off: string): Buffer {
  const content = [
    text('Text on no layer', 760),
    onLayer('Hidden', text('Text on the first layer', 720)),
    onLayer('Shown', text('Text on the second layer', 680)),
    onLayer('Hidden', '/Form Do'),
    `/P << /MCID 0 >> BDC ${text('Text of a paragraph', 600)} EMC`,
  ].join('\n');
  const form = text('Text of a form on the first layer', 640);
  const resources = '/Font << /F 5 0 R >>';
  return pdfOfObjects(
    [
      `<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [6 0 R 7 0 R] /D << /OFF [${off}] >> >> >>`,
      '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << ${resources} /Properties << /Hidden 6 0 R /Shown 7 0 R >> /XObject << /Form 8 0 R >> >> >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      '<< /Type /OCG /Name (First) >>',
      '<< /Type /OCG /Name (Second) >>',
      `<< /Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << ${resources} >> /Length ${form.length} >>\nstream\n${form}\nendstream`,
    ],
    '/Size 9 /Root 1 0 R',
  );
}

test('reads the text of layers that are on, and not of those that are off', async (t) => {
  const linesOf = async (off: string): Promise<string[]> =>
    (await readBytes(layered(off), { name: 'a.pdf' })).text.trim().split('\n\n');
  const all = [
    'Text on no layer',
    'Text on the first layer',
    'Text on the second layer',
    'Text of a form on the first layer',
    'Text of a paragraph',
  ];
  t.deepEqual(await linesOf(''), all);
  t.deepEqual(
    await linesOf('6 0 R'),
    all.filter((line) => !line.includes('first')),
  );
});
