import test from 'ava';
import { docx, docxParagraph } from '#test/support/fixtures/documents.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

function run(content: string): string {
  return `<w:r>${content}</w:r>`;
}

function text(words: string): string {
  return `<w:t xml:space="preserve">${words}</w:t>`;
}

async function readDocx(body: string): Promise<string> {
  return (await readBytes(docx(body), { name: 'd.docx' })).text;
}

test('separates words at tabs to an alignment, old line breaks, and breaks of pages and columns', async (t) => {
  const between = (separator: string): Promise<string> =>
    readDocx(`<w:p>${run(text('One') + separator + text('Two'))}</w:p>`);
  t.is(await between('<w:ptab w:relativeTo="margin" w:alignment="right" w:leader="none"/>'), 'One Two\n');
  for (const separator of ['<w:cr/>', '<w:br w:type="page"/>', '<w:br w:type="column"/>', '<w:br/>'])
    t.regex(await between(separator), /^One *\\?\nTwo\n$/, separator);
  const edges = `<w:p>${run('<w:br w:type="page"/>')}${run(text('Alone') + '<w:br w:type="page"/>')}</w:p>`;
  t.is(await readDocx(edges), 'Alone\n', 'a break at the edge of a paragraph separates no words');
});

test('reads the selected entry of a drop-down field of a form', async (t) => {
  const list = (selected: string): string =>
    `<w:ffData><w:ddList>${selected}<w:listEntry w:val="Red"/><w:listEntry w:val="Green"/></w:ddList></w:ffData>`;
  const field = (selected: string): string =>
    `<w:p>${run(text('Color: '))}${run(`<w:fldChar w:fldCharType="begin">${list(selected)}</w:fldChar>`)}` +
    `${run('<w:instrText> FORMDROPDOWN </w:instrText>')}${run('<w:fldChar w:fldCharType="end"/>')}${run(text('.'))}</w:p>`;
  t.is(await readDocx(field('<w:result w:val="1"/>') + field('')), 'Color: Green.\n\nColor: Red.\n');
});

test('reads a text box of the present form that has no version for older programs', async (t) => {
  const box = `<w:drawing><w:txbxContent>${docxParagraph('In the box')}</w:txbxContent></w:drawing>`;
  const found = await readDocx(`<w:p>${run(box)}${run(text('Anchor'))}</w:p>`);
  t.deepEqual(found.split(/\n+/).filter(Boolean), ['Anchor', 'In the box']);
});

test('reads the characters that a run in a symbol font shows', async (t) => {
  const symbols = (words: string, font: string): string =>
    run(`<w:rPr><w:rFonts w:ascii="${font}" w:hAnsi="${font}"/></w:rPr>${text(words)}`);
  const body = `<w:p>${run(text('5 '))}${symbols('m', 'Symbol')}${run(text('g/ml '))}${symbols('\uF0FC', 'Wingdings')}${symbols(' m', 'Arial')}</w:p>`;
  t.is(await readDocx(body), '5 μg/ml ✓ m\n');
});
