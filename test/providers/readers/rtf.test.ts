import test from 'ava';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

async function read(body: string, fonts = '\\f0\\fnil\\fcharset0 Arial;'): Promise<string> {
  const source = `{\\rtf1\\ansi\\ansicpg1252\\uc1{\\fonttbl${fonts}}\\pard ${body}}`;
  return (await readBytes(Buffer.from(source, 'latin1'), { name: 'd.rtf' })).text;
}

test('a backslash at a line end ends the paragraph, as in documents of TextEdit', async (t) => {
  t.is(await read('First line\\\nSecond \\\r\n\\\nThird'), 'First line\n\nSecond\n\nThird\n');
});

test('decodes bytes in the code page of their font', async (t) => {
  const fonts =
    '{\\f0\\fnil\\fcharset0 Calibri;}{\\f1\\fnil\\fcharset204{\\*\\fname Calibri;}Calibri CYR;}{\\f2\\fcharset128 Mincho;}';
  const text = await read("\\f1\\'cf\\'f0\\'e8\\'e2\\'e5\\'f2 \\f0 caf\\'e9 \\f2\\'93\\'fa\\'96{\\b{}}\\'83A", fonts);
  t.true(text.startsWith('Привет café 日'), text);
  t.true(text.endsWith('ア\n'), text);
});

test('keeps surrogate pairs in bold text', async (t) => {
  t.is(await read('a {\\b bold \\u-10179?\\u-8704? face} b'), 'a **bold 😀 face** b\n');
});

test('reads inserted text, but not deleted and hidden text', async (t) => {
  t.is(
    await read('Kept {\\deleted\\revauthdel1 gone }{\\revised new }{\\v hidden }\\deleted gone\\deleted0 end'),
    'Kept new end\n',
  );
});

test('puts text boxes after their paragraph, and footnotes at the end of the document', async (t) => {
  const box =
    '{\\shp{\\*\\shpinst\\shpleft0{\\sp{\\sn type}{\\sv 202}}{\\shptxt \\pard\\plain In the box\\par}}{\\shprslt{\\*\\do{\\dptxbxtext\\pard In the box\\par}}}}';
  const note = '{\\super\\chftn{\\footnote\\pard\\plain{\\super\\chftn} The note.}}';
  t.is(
    await read(`Before${note}${box} and after\\par Next\\par`),
    'Before and after\n\nIn the box\n\nNext\n\nThe note.\n',
  );
});

test('skips raw bytes, even if they look like control words', async (t) => {
  t.is(await read('Before {\\pict\\wmetafile8\\bin5 {{}\\{}after'), 'Before after\n');
});

test('keeps bullets and numbers of lists', async (t) => {
  const fonts = '{\\f0\\fcharset0 Arial;}{\\f3\\fnil\\fcharset2 Symbol;}';
  const text = await read(
    "{\\listtext\\f3\\'b7\\tab}one\\par{\\pntext\\f3\\'B7\\tab}two\\par{\\listtext 1.\\tab}three\\par",
    fonts,
  );
  t.is(text, '- one\n\n- two\n\n1. three\n');
});

test('reads a truncated table', async (t) => {
  t.is(
    await read('\\trowd\\intbl a\\cell b\\cell\\row\\trowd\\intbl 1\\cell 2'),
    '| a | b |\n| --- | --- |\n| 1 | 2 |\n',
  );
});

test('reads the characters that a symbol font shows, and its pictures before items as those of a list', async (t) => {
  const fonts =
    '{\\f0\\fcharset0 Arial;}{\\f1\\fnil\\fcharset2 Symbol;}{\\f2\\fnil\\fcharset2 Wingdings;}{\\f3\\fcharset2 Other;}';
  const shown = async (body: string): Promise<string> => (await read(body, fonts)).trim();
  t.is(
    await shown("5 {\\f1 m}g/ml, x {\\f1\\'a3} 5 {\\f1\\'b1} {\\f1\\u-3999?}, {\\f2\\'fc} done"),
    '5 μg/ml, x ≤ 5 ± α, ✓ done',
  );
  t.is(await shown("{\\f3 plain \\'f0}"), 'plain •', 'a font without known characters');
  t.is(await shown("{\\listtext\\f2\\'a7\\tab}one\\par{\\listtext\\f2\\'d8\\tab}two\\par"), '- one\n\n- two');
});
