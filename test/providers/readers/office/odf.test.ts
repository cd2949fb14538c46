import test from 'ava';
import { zip } from '#test/support/fixtures/documents.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

const TYPES = 'application/vnd.oasis.opendocument';

async function odfText(
  kind: string,
  body: string,
  { styles = '', parts = {} }: { styles?: string; parts?: Record<string, string> } = {},
): Promise<string> {
  const content = `<office:document-content><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`;
  const bytes = zip({ mimetype: `${TYPES}.${kind}`, 'content.xml': content, ...parts });
  return (await readBytes(bytes, { name: '' })).text.trim();
}

const OBJECT = '<draw:frame><draw:object xlink:href="./Object 1"/><draw:image xlink:href="./x"/></draw:frame>';
const CHART =
  '<office:document-content><office:body><office:chart><chart:chart chart:class="chart:bar"><chart:title><text:p>Sales</text:p></chart:title>' +
  '<table:table table:name="local-table"><table:table-header-rows><table:table-row><table:table-cell><text:p/></table:table-cell><table:table-cell><text:p>Bolts</text:p></table:table-cell></table:table-row></table:table-header-rows>' +
  '<table:table-rows><table:table-row><table:table-cell><text:p>May</text:p></table:table-cell><table:table-cell><text:p>12</text:p></table:table-cell></table:table-row></table:table-rows></table:table></chart:chart></office:chart></office:body></office:document-content>';
const CHART_TEXT = 'Sales\n\nBar chart\n\n|  | Bolts |\n| --- | --- |\n| May | 12 |';

test('reads the charts of OpenDocument texts, sheets and slides as their values', async (t) => {
  const parts = { 'Object 1/content.xml': CHART };
  t.is(
    await odfText('text', `<text:p>Before</text:p><text:p>${OBJECT}</text:p>`, { parts }),
    `Before\n\n${CHART_TEXT}`,
  );
  const sheet = `<table:table table:name="S"><table:shapes>${OBJECT}</table:shapes><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell></table:table-row></table:table>`;
  t.is(await odfText('spreadsheet', sheet, { parts }), `## S\n\na\n\n${CHART_TEXT}`);
  t.is(await odfText('presentation', `<draw:page>${OBJECT}</draw:page>`, { parts }), CHART_TEXT);
});

test('reads the formulas of an OpenDocument text as LaTeX', async (t) => {
  const formula =
    '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><msup><mi>a</mi><mn>2</mn></msup><mo>=</mo><mfrac><mi>π</mi><msqrt><mi>x</mi></msqrt></mfrac><mo>≤</mo><munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover></mrow><annotation encoding="StarMath 5.0">a^2 = %pi over sqrt x</annotation></semantics></math>';
  const text = await odfText('text', `<text:p>Area ${OBJECT} of it</text:p>`, {
    parts: { 'Object 1/content.xml': formula },
  });
  t.is(text, 'Area $a^{2}=\\frac{\\pi }{\\sqrt{x}}\\leq \\sum _{i}^{n}$ of it');
});

const level = (number: number, attributes: string): string =>
  `<text:list-level-style-number text:level="${number}" ${attributes}/>`;
const STYLES = `<text:list-style style:name="N">${level(1, 'style:num-format="1" style:num-suffix="."')}${level(2, 'style:num-format="1" style:num-suffix="." text:display-levels="2"')}${level(3, 'style:num-format="a" style:num-suffix=")"')}</text:list-style>`;
const list = (items: string, attributes = ''): string =>
  `<text:list text:style-name="N"${attributes}>${items}</text:list>`;
const item = (text: string, inner = ''): string => `<text:list-item><text:p>${text}</text:p>${inner}</text:list-item>`;

test('reads nested numbers of an OpenDocument text as it shows them', async (t) => {
  const body = list(
    item('one', list(item('deep', list(item('letter') + item('next'))) + item('deeper'))) +
      item('two', list(item('again'))),
  );
  t.is(
    await odfText('text', body, { styles: STYLES }),
    '1. one\n   - 1.1. deep\n     - a) letter\n     - b) next\n   - 1.2. deeper\n2. two\n   - 2.1. again',
  );
});

test('an item that only contains a deeper list has no number of its own', async (t) => {
  const wrapped = (items: string): string =>
    `<text:list-item>${list(items, ' text:continue-numbering="true"')}</text:list-item>`;
  const body = `${list(item('one'))}<text:p>Between</text:p>${list(wrapped(item('deep') + item('deeper')), ' text:continue-numbering="true"')}`;
  t.is(await odfText('text', body, { styles: STYLES }), '1. one\n\nBetween\n\n- 1.1. deep\n- 1.2. deeper');
});

test('reads values and formulas of OpenDocument sheets that a library wrote without their texts', async (t) => {
  const cell = (attributes: string): string => `<table:table-cell ${attributes}/>`;
  const row = [
    cell('office:value-type="float" office:value="3.5"'),
    cell('office:value-type="string" office:string-value="Bolt"'),
    cell('office:value-type="date" office:date-value="2026-11-24"'),
    cell('table:formula="of:=SUM([.A1:.A2])"'),
  ];
  const sheet = `<table:table table:name="S"><table:table-row>${row.join('')}</table:table-row></table:table>`;
  t.true((await odfText('spreadsheet', sheet)).includes('| 3.5 | Bolt | 2026-11-24 | =SUM([.A1:.A2]) |'));
});

test('does not read hidden sheets and slides of OpenDocument files', async (t) => {
  const styles =
    '<style:style style:name="ta1" style:family="table"><style:table-properties table:display="true"/></style:style>' +
    '<style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style>' +
    '<style:style style:name="dp2" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>';
  const sheet = (style: string, text: string): string =>
    `<table:table table:name="${text}" table:style-name="${style}"><table:table-row><table:table-cell><text:p>${text}</text:p></table:table-cell></table:table-row></table:table>`;
  t.is(
    await odfText('spreadsheet', sheet('ta2', 'Salaries') + sheet('ta1', 'Prices'), { styles }),
    '## Prices\n\nPrices',
  );
  const slide = (style: string, text: string): string =>
    `<draw:page draw:style-name="${style}"><draw:frame><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame></draw:page>`;
  t.is(await odfText('presentation', slide('dp2', 'Draft') + slide('dp1', 'Offer'), { styles }), 'Offer');
});

test('does not read hidden rows and columns of OpenDocument sheets, but those that a filter or a collapsed group hides', async (t) => {
  const row = (attributes: string, ...texts: string[]): string =>
    `<table:table-row ${attributes}>${texts.map((text) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`).join('')}</table:table-row>`;
  const columns = '<table:table-column/><table:table-column table:visibility="collapse"/><table:table-column/>';
  const rows =
    row('', 'Item', 'Cost', 'Price') +
    row('table:visibility="collapse"', 'Old', '1', '2') +
    row('table:visibility="filter"', 'Bolt', '3', '4') +
    `<table:table-row-group table:display="false">${row('table:visibility="collapse"', 'Nut', '5', '6')}</table:table-row-group>`;
  t.is(
    await odfText('spreadsheet', `<table:table table:name="S">${columns}${rows}</table:table>`),
    '## S\n\n| Item | Price |\n| --- | --- |\n| Bolt | 4 |\n| Nut | 6 |',
  );
});
