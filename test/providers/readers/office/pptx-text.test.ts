import test from 'ava';
import { zip } from '#test/support/fixtures/documents.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

type Slides = readonly string[];

/** A presentation of slides with these shapes. */
function presentation(slides: Slides): Buffer {
  const files = slides.map((shapes, index) => [
    `ppt/slides/slide${index + 1}.xml`,
    `<p:sld><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
  ]);
  return zip({
    '[Content_Types].xml': '<Types/>',
    'ppt/presentation.xml': '<p:presentation/>',
    ...Object.fromEntries(files),
  });
}

function shape(runs: string, placeholder = ''): string {
  return `<p:sp><p:nvSpPr><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:txBody><a:p>${runs}</a:p></p:txBody></p:sp>`;
}

function run(text: string, properties = ''): string {
  return `<a:r><a:rPr>${properties}</a:rPr><a:t>${text}</a:t></a:r>`;
}

test('reads the characters that a run in a symbol font shows', async (t) => {
  const latin = run('m', '<a:latin typeface="Symbol"/>');
  const symbols = run('\uF06D and m', '<a:sym typeface="Symbol"/>');
  const { text } = await readBytes(presentation([shape(run('5 ') + latin + run('g, ') + symbols)]), { name: 'p.pptx' });
  t.is(text.trim(), '5 μg, μ and m', 'a font for symbols applies to private characters only');
});
