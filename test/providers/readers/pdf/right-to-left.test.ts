import test from 'ava';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';
import { visualPdf, type VisualLine } from '#test/support/fixtures/visual-pdf.ts';

/** Ligatures of lam and alef, drawn as one glyph. */
const LIGATURE = /ل[اأإآ]|./gu;

/** What is seen from left to right: phrases as they are, or with the glyphs of Arabic and Hebrew words in reverse. */
function seen(...phrases: string[]): string[] {
  const isReversed = (phrase: string): boolean => /[\u05d0-\u064a]/.test(phrase);
  return phrases.flatMap((phrase) => {
    const glyphs = phrase.match(LIGATURE) ?? [];
    return isReversed(phrase) ? glyphs.toReversed() : glyphs;
  });
}

async function textOf(...lines: VisualLine['glyphs'][]): Promise<string> {
  const bytes = visualPdf(lines.map((glyphs, index) => ({ glyphs, y: 700 - index * 60 })));
  return (await readBytes(bytes, { name: 'page.pdf' })).text.trim();
}

test('reads the ligature of lam and alef in the order of reading, also within words', async (t) => {
  const words = 'سلام والإسلام والأولاد لا يزالون';
  t.is(await textOf(seen(words)), words);
  t.is(await textOf('\ufee1\ufefcﺳ'.split('')), 'سلام', 'of presentation forms');
});

test('reads labels, numbers and names in Latin script on an Arabic page from left to right', async (t) => {
  const page = [
    [seen('2024/05/17', ' بتاريخ ', 'INV-2024-001', 'رقم الفاتورة: '), 'رقم الفاتورة: INV-2024-001 بتاريخ 2024/05/17'],
    [seen(' للتجارة', 'Example Corporation', 'شركة '), 'شركة Example Corporation للتجارة'],
    [seen('5678', ' ', '234', ' ', '11', ' ', '966', 'الهاتف: +'), 'الهاتف: +966 11 234 5678'],
    [seen(' في النظام', 'HTML 5', ' و ', 'PDF', 'باستخدام '), 'باستخدام PDF و HTML 5 في النظام'],
    [seen(' من المجموع', '%', '40', 'بنسبة '), 'بنسبة 40% من المجموع'],
    [seen(' في العربية', '١٢٣٤', ' و ', '٢٣٫٥', 'الأرقام '), 'الأرقام ٢٣٫٥ و ١٢٣٤ في العربية'],
  ] as const;
  const text = await textOf(...page.map(([glyphs]) => glyphs));
  t.deepEqual(
    text.split('\n').filter((line) => line !== ''),
    page.map(([, expected]) => expected),
  );
});

test('reads Hebrew numbers with hyphens and an Arabic name within an English line', async (t) => {
  t.is(await textOf(seen('03-1234567', 'טלפון של המשרד: ')), 'טלפון של המשרד: 03-1234567');
  const prose = seen('The address of the office in Cairo is below.');
  const text = await textOf(prose, seen('Name: ', 'محمد علاء الدين', ' (Cairo)'));
  t.true(text.endsWith('Name: محمد علاء الدين (Cairo)'), text);
});

test('brackets on an Arabic page face their content, whichever character the file gives for the mirrored glyph', async (t) => {
  const expected = 'المجموع (انظر الجدول) هنا';
  t.is(await textOf(seen(' هنا', ')', 'انظر الجدول', '(', 'المجموع ')), expected);
  t.is(await textOf(seen(' هنا', '(', 'انظر الجدول', ')', 'المجموع ')), expected);
});

test('joins wrapped lines of an Arabic paragraph', async (t) => {
  const first = 'هذا هو التقرير السنوي عن السلامة في الطرق والأماكن العامة في البلاد يقدم';
  const second = 'المركز خدمات كثيرة للناس';
  const width = (text: string): number => seen(text).length * 6;
  const bytes = visualPdf([
    { glyphs: seen(first), y: 700, x: 540 - width(first) },
    { glyphs: seen(second), y: 686, x: 540 - width(second) },
  ]);
  t.is((await readBytes(bytes, { name: 'page.pdf' })).text.trim(), `${first} ${second}`);
});

test('reads the cells of an Arabic table in the order of reading, the right column first', async (t) => {
  const rows = [
    ['12', 'أحمد علاء'],
    ['25', 'خلود سالم'],
    ['37', 'علاء كمال'],
  ];
  const bytes = visualPdf(
    rows.flatMap(([number = '', name = ''], row) => [
      { glyphs: seen(number), x: 100, y: 700 - row * 16 },
      { glyphs: seen(name), x: 300, y: 700 - row * 16 },
    ]),
  );
  const { text } = await readBytes(bytes, { name: 'page.pdf' });
  t.deepEqual(
    text.split('\n').filter((line) => line.startsWith('| ') && !line.includes('---')),
    rows.map(([number = '', name = '']) => `| ${name} | ${number} |`),
  );
});

test('reads a line of very many letters without ordering them', async (t) => {
  const bytes = visualPdf([{ glyphs: seen('سلام 12 -- '.repeat(2_000)), x: 10, y: 400, size: 0.04 }]);
  const { text } = await readBytes(bytes, { name: 'page.pdf' });
  t.is(text.match(/[سلام]/g)?.length, 8_000);
});
