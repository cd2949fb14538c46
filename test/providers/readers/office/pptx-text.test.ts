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

test('a slide without a title has a heading of its own below an earlier title: its first line, or its number', async (t) => {
  const title = (text: string): string => shape(run(text), '<p:ph type="title"/>');
  const long = 'A sentence that is too long for the title of a slide, and that goes on beyond what a title says.';
  const slides = [
    shape(run('Cover')) + shape(run('2026')),
    title('Agenda') + shape(run('Welcome')),
    shape(run('Budget')) + shape(run(long)),
    shape(run(long)),
    '',
    title('End'),
  ];
  const { text } = await readBytes(presentation(slides), { name: 'p.pptx' });
  const expected = ['Cover', '2026', '# Agenda', 'Welcome', '# Budget', long, '# Slide 4', long, '# End'];
  t.deepEqual(text.split(/\n+/).filter(Boolean), expected);
});
