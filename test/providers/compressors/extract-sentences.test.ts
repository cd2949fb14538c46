import test from 'ava';
import * as fc from 'fast-check';
import { splitUnits } from '#domain/compression/split-units.ts';
import { createTokenCounter } from '#providers/chunkers/token-counter.ts';
import { countTokensInParts } from '#providers/compressors/count-tokens-in-parts.ts';
import { extractSentences } from '#providers/compressors/extract-sentences.ts';

const countTokens = (text: string) => text.match(/\S+/g)?.length ?? 0;
const compress = (text: string, budgetTokens: number, query: string | null = null) =>
  extractSentences({ text, budgetTokens, query, isWhole: true }, countTokens);

const FERRY = [
  'The harbour was built in 1893.',
  'Seagulls nest on the roof of the customs house.',
  'The ferry to the island leaves at noon.',
  'On Sundays the ferry waits for the last train.',
  'The bakery sells bread and cake.',
  'Its owner plays the trombone.',
];

test('keeps the sentences that relate to the query, verbatim and in order', (t) => {
  const { text, tokens, droppedSentences, droppedSpans } = compress(FERRY.join(' '), 17, 'When does the ferry leave?');
  t.is(text, `${FERRY[2]} ${FERRY[3]}`);
  t.is(tokens, 17);
  t.is(droppedSentences, 4);
  const whole = FERRY.join(' ');
  t.deepEqual(
    droppedSpans?.map(([from, to]) => whole.slice(from, to).trim()),
    [`${FERRY[0]} ${FERRY[1]}`, `${FERRY[4]} ${FERRY[5]}`],
  );
});

test('keeps a question in the text together with its answer', (t) => {
  const question = 'Question: When does the ferry leave?';
  const { text } = compress(`${FERRY.join('\n')}\n\n${question}`, 16, 'When does the ferry leave?');
  t.is(text, `${FERRY[2]}\n\n${question}`);
});

test('keeps within the budget when the text is little more than the query', (t) => {
  const query = 'When does the ferry to the island leave? How long does the crossing to the island take?';
  for (const others of [[], ['Bread.'], Array.from({ length: 60 }, (_, number) => `Loaf ${number} is sold.`)]) {
    const text = `${query} ${others.join(' ')}`;
    for (const budget of [1, 6, 9, 12]) {
      const { text: kept, tokens } = compress(text, budget, query);
      t.true(tokens <= budget && countTokens(kept) <= budget, `${budget}: ${kept}`);
    }
  }
  t.is(compress(query, 9, query).text, 'When does the ferry to the island leave?');
});

test('leaves a text within the budget unchanged, spaces included', (t) => {
  const text = `  ${FERRY.join('\n\n')}\n`;
  t.like(compress(text, 1_000), { text, droppedSentences: 0, droppedSpans: [] });
});

test('keeps verbatim repetitions once', (t) => {
  const { text } = compress('The ferry leaves at noon.\n'.repeat(5) + 'Bread is sold here.\n', 10, 'ferry');
  t.is(text, 'The ferry leaves at noon.\nBread is sold here.\n');
});

test('without a query, keeps the sentences that together cover most, without repetitions', (t) => {
  const { text } = compress(
    'The glacier of the valley lost ice. The glacier in the valley lost its ice. Trains reach Oslo by noon. Well, well, it is so.',
    16,
  );
  t.is(text, 'The glacier of the valley lost ice. Trains reach Oslo by noon.');
});

test('joins wrapped lines into one sentence, and keeps items, headings and rows apart', (t) => {
  const text = [
    '# The harbour',
    '- first item',
    '- second item',
    '',
    'A sentence that goes on for so long that its author had to break it, as',
    'people do. A second one.',
    '| a | b |',
    '| 1 | 2 |',
  ].join('\n');
  t.deepEqual(
    splitUnits(text).map(({ from, to }) => text.slice(from, to)),
    [
      '# The harbour',
      '- first item',
      '- second item',
      'A sentence that goes on for so long that its author had to break it, as\npeople do.',
      'A second one.',
      '| a | b |',
      '| 1 | 2 |',
    ],
  );
});

test('returns sentences of any text within the budget, and reports what is missing', (t) => {
  const piece = fc.oneof(
    fc.constantFrom(...FERRY, '\n', '\n\n', ' ', '- item', '???', '。', 'Ünïcödé Wörter.', '船は正午に出る。'),
    fc.string({ maxLength: 30, unit: 'grapheme' }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.nat(60), fc.boolean(), (pieces, budget, isAsked) => {
      const text = pieces.join('');
      const query = isAsked ? 'When does the ferry leave?' : null;
      const result = compress(text, budget, query);
      const sentences = splitUnits(text).map(({ from, to }) => text.slice(from, to));
      let at = 0;
      for (const sentence of sentences) if (result.text.startsWith(sentence, at)) at += sentence.length;
      const dropped = new Set((result.droppedSpans ?? []).flatMap(([from, to]) => span(from, to)));
      const kept = Array.from(text.matchAll(/\S/g), ({ index }) => index).filter((index) => !dropped.has(index));
      const left = kept.map((index) => text.charAt(index)).join('');
      t.is(left, result.text.replaceAll(/\s/g, ''));
      t.true(countTokens(result.text) <= Math.max(budget, countTokens(query ?? '')));
    }),
    { numRuns: 300 },
  );
});

test('keeps something of every text, of any length and in any script, and of a longer one within the budget', async (t) => {
  const estimate = await createTokenCounter({ kind: 'estimate', charactersPerToken: 4 });
  const piece = fc.oneof(
    fc.constantFrom(...FERRY, '\n', ' ', '{"id":1,"state":"open"},', 'วันนี้อากาศดีมาก', 'x'.repeat(900), ' '.repeat(900)),
    fc.string({ maxLength: 30, unit: 'grapheme' }),
  );
  const anyText = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 60 }), fc.boolean(), (text, budgetTokens, isAsked) => {
      const query = isAsked ? 'When does the ferry leave?' : null;
      const result = extractSentences({ text, budgetTokens, query, isWhole: true }, estimate);
      t.is(result.text.trim() === '', text.trim() === '');
      t.true(result.text.isWellFormed());
      t.is(result.tokens, countTokensInParts(result.text, estimate));
    }),
    { numRuns: 300 },
  );
});

test('cuts off the best sentence where none fits, and says what is missing', (t) => {
  const text = `${FERRY[0]}\n${FERRY[2]}\n`;
  const { text: kept, tokens, droppedSentences, droppedSpans } = compress(text, 5, 'Where does the ferry go?');
  t.is(kept, 'The ferry to the island\n');
  t.is(tokens, 5);
  t.is(droppedSentences, 2);
  t.deepEqual(droppedSpans, [
    [0, text.indexOf('The ferry')],
    [text.indexOf(' leaves'), text.length],
  ]);
  t.is(compress('0123456789'.repeat(1_000), 1).text.length > 0, true);
  t.is(compress(text, 0).text.trim(), '');
});

test('counts the tokens of a text that is kept as it is like those of the original', async (t) => {
  const estimate = await createTokenCounter({ kind: 'estimate', charactersPerToken: 4 });
  const text = 'A b. '.repeat(30);
  for (const budgetTokens of [estimate(text), Number.MAX_SAFE_INTEGER]) {
    const result = extractSentences({ text, budgetTokens, query: null, isWhole: true }, estimate);
    t.is(result.text, text);
    t.is(result.tokens, estimate(text));
  }
});

test('keeps a question that is asked several times once, together with the answer', (t) => {
  const question = 'When does the ferry leave?';
  for (const asked of [2, 30]) {
    const text = `${`${question}\n`.repeat(asked)}${FERRY.join(' ')}\n${question}`;
    t.is(compress(text, 14, question).text, `${FERRY[2]}\n${question}`);
  }
});

function span(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, at) => from + at);
}
