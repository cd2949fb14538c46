import test from 'ava';
import { docx, docxParagraph } from '#test/support/fixtures/documents.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const RELATIONSHIPS = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="n" Type="${RELATIONS}/numbering" Target="numbering.xml"/><Relationship Id="s" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`;
const STYLES = `<w:styles xmlns:w="${WORD}"><w:style w:type="paragraph" w:styleId="H"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="9"/></w:numPr></w:pPr></w:style><w:style w:type="numbering" w:styleId="Legal"><w:pPr><w:numPr><w:numId w:val="8"/></w:numPr></w:pPr></w:style></w:styles>`;

/** A level of a list, such as `decimal` and `%1.`; further properties follow the format. */
function level(index: number, format: string, text: string): string {
  return levelWith('', [index, format, text]);
}

function levelWith(properties: string, [index, format, text]: [index: number, format: string, text: string]): string {
  return `<w:lvl w:ilvl="${index}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${properties}<w:lvlText w:val="${text}"/></w:lvl>`;
}

/** The definition of the list 9: numbered levels, or a reference to others. */
function listOf(levels: string, others = ''): string {
  return `<w:abstractNum w:abstractNumId="0">${levels}</w:abstractNum>${others}<w:num w:numId="9"><w:abstractNumId w:val="0"/></w:num>`;
}

function item(text: string, index = 0): string {
  return itemOf(run(text), index, '');
}

function itemOf(content: string, index: number, mark: string): string {
  return `<w:p><w:pPr><w:numPr><w:ilvl w:val="${index}"/><w:numId w:val="9"/></w:numPr>${mark}</w:pPr>${content}</w:p>`;
}

function run(text: string): string {
  return `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
}

async function readDocx(body: string, list: string): Promise<string> {
  const parts = {
    'word/numbering.xml': `<w:numbering xmlns:w="${WORD}">${list}</w:numbering>`,
    'word/styles.xml': STYLES,
    'word/_rels/document.xml.rels': RELATIONSHIPS,
  };
  return (await readBytes(docx(body, parts), { name: 'd.docx' })).text;
}

const DECIMAL = listOf(level(0, 'decimal', '%1.'));
const DELETED_MARK = '<w:rPr><w:del w:id="1" w:author="A"/></w:rPr>';

function deleted(text: string): string {
  return `<w:del w:id="2" w:author="A"><w:r><w:delText>${text}</w:delText></w:r></w:del>`;
}

test('neither counts nor shows the number of a paragraph that a tracked change deletes or moves away', async (t) => {
  const two = itemOf(deleted('two'), 0, DELETED_MARK);
  t.is(await readDocx(item('one') + two + item('three'), DECIMAL), '1. one\n2. three\n');
  const heading = (content: string, mark = ''): string =>
    `<w:p><w:pPr><w:pStyle w:val="H"/>${mark}</w:pPr>${content}</w:p>`;
  const headings = heading(run('Scope')) + heading(deleted('Old'), DELETED_MARK) + heading(run('Payment'));
  t.is(await readDocx(headings, DECIMAL), '# 1 Scope\n\n# 2 Payment\n');
  const from = itemOf(`<w:moveFrom w:id="3">${run('moved')}</w:moveFrom>`, 0, '<w:rPr><w:moveFrom w:id="4"/></w:rPr>');
  const to = itemOf(`<w:moveTo w:id="3">${run('moved')}</w:moveTo>`, 0, '');
  t.is(await readDocx(item('one') + from + item('three') + to, DECIMAL), '1. one\n2. three\n3. moved\n');
  const row = `<w:tbl><w:tr><w:trPr><w:del w:id="5"/></w:trPr><w:tc>${item('row')}</w:tc></w:tr></w:tbl>`;
  t.is(await readDocx(item('one') + row + item('two'), DECIMAL), '1. one\n2. two\n', 'a deleted row of a table');
});

test('continues a paragraph whose mark is deleted in the next one, and keeps its text before a table', async (t) => {
  const kept = itemOf(run('kept, ') + deleted('gone'), 0, DELETED_MARK);
  const mark = '<w:moveFromRangeEnd w:id="6"/>';
  t.is(await readDocx(item('one') + kept + mark + item('and joined'), DECIMAL), '1. one\n2. kept, and joined\n');
  const table = `<w:tbl><w:tr><w:tc>${docxParagraph('a')}</w:tc><w:tc>${docxParagraph('b')}</w:tc></w:tr></w:tbl>`;
  t.is(
    await readDocx(item('one') + kept + table, DECIMAL),
    '1. one\n2. kept, \n\n| a | b |\n| --- | --- |\n'.replace(', \n', ',\n'),
  );
});

test('shows all levels of a legal number in digits', async (t) => {
  const list = listOf(
    level(0, 'upperRoman', 'Article %1') + levelWith('<w:isLgl/>', [1, 'decimalZero', 'Section %1.%2']),
  );
  t.is(await readDocx(item('Terms') + item('Fees', 1), list), '- Article I Terms\n  - Section 1.01 Fees\n');
});

test('takes the levels of a list from the style of lists that it refers to', async (t) => {
  const linked = `<w:abstractNum w:abstractNumId="1"><w:styleLink w:val="Legal"/>${level(0, 'upperLetter', '%1)')}</w:abstractNum><w:num w:numId="8"><w:abstractNumId w:val="1"/></w:num>`;
  t.is(
    await readDocx(item('Alpha') + item('Beta'), listOf('<w:numStyleLink w:val="Legal"/>', linked)),
    '- A) Alpha\n- B) Beta\n',
  );
});

test('counts on in a level that never restarts, and in one that restarts only after a higher level', async (t) => {
  const restart = (value: number): string => `<w:lvlRestart w:val="${value}"/>`;
  const items = item('a') + item('b', 1) + item('c') + item('d', 1);
  const never = listOf(level(0, 'decimal', '%1.') + levelWith(restart(0), [1, 'decimal', '[%2]']));
  t.is(await readDocx(items, never), '1. a\n   - [1] b\n2. c\n   - [2] d\n');
  const byDefault = listOf(level(0, 'decimal', '%1.') + level(1, 'decimal', '[%2]'));
  t.is(await readDocx(items, byDefault), '1. a\n   - [1] b\n2. c\n   - [1] d\n');
  const afterFirst = listOf(
    level(0, 'decimal', '%1.') + level(1, 'decimal', '%2.') + levelWith(restart(1), [2, 'decimal', '[%3]']),
  );
  const nested =
    item('a') + item('b', 1) + item('c', 2) + item('d', 1) + item('e', 2) + item('f') + item('g', 1) + item('h', 2);
  t.regex(await readDocx(nested, afterFirst), /\[1\] c[^]*\[2\] e[^]*\[1\] h/);
});

test('writes numbers in the letters and numerals of other scripts', async (t) => {
  const expected: Readonly<Record<string, readonly [number, string][]>> = {
    chineseCountingThousand: [
      [1, '一'],
      [10, '十'],
      [21, '二十一'],
      [101, '一百零一'],
      [110, '一百一十'],
    ],
    japaneseCounting: [
      [11, '十一'],
      [111, '百十一'],
    ],
    ganada: [
      [1, '가'],
      [15, '가가'],
    ],
    chosung: [[2, 'ㄴ']],
    hebrew1: [
      [1, 'א'],
      [15, 'טו'],
      [21, 'כא'],
    ],
    arabicAlpha: [[2, 'ب']],
    russianLower: [[10, 'к']],
    decimalEnclosedCircle: [
      [1, '①'],
      [21, '21'],
    ],
    ordinal: [
      [1, '1st'],
      [12, '12th'],
      [22, '22nd'],
    ],
    unknown: [[3, '3']],
  };
  for (const [format, labels] of Object.entries(expected)) {
    for (const [number, label] of labels) {
      const list = listOf(level(0, format, '§ %1:').replace('w:start w:val="1"', `w:start w:val="${number}"`));
      t.is(await readDocx(item('x'), list), `- § ${label}: x\n`, `${format} ${number}`);
    }
  }
});
