import test from 'ava';
import * as fc from 'fast-check';
import { cutWindows } from '#domain/compression/cut-windows.ts';
import { findQuestion } from '#domain/compression/find-question.ts';
import { shareBudget } from '#domain/compression/share-budget.ts';

const FILLER = 'The harbour is old. Ships come and go all day long. '.repeat(200);

test('extracts the question from texts that are sent with one', (t) => {
  const found = (text: string) => {
    const question = findQuestion(text);
    return question && [question.source, question.text];
  };
  t.deepEqual(found(`${FILLER}\n\nQuestion: When does it leave?`), ['label', 'When does it leave?']);
  t.deepEqual(found(`**Query:** ferries to Oslo\n\n${FILLER}`), ['label', 'ferries to Oslo']);
  t.deepEqual(found(`Frage: Wann geht\ndie letzte Fähre?\n\n${FILLER}`), ['label', 'Wann geht\ndie letzte Fähre?']);
  t.deepEqual(found(`User: Hello there, you.\nAssistant: Hello.\nUser: Tell me of the ferries.\nAssistant: `), [
    'conversation',
    'Tell me of the ferries.',
  ]);
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Tell me of the "ferries".' },
    { role: 'assistant', content: 'They leave.' },
  ];
  t.deepEqual(found(JSON.stringify(messages, null, 2)), ['conversation', 'Tell me of the "ferries".']);
  t.deepEqual(found(JSON.stringify({ content: 'Which ferries leave?', role: 'user' })), [
    'conversation',
    'Which ferries leave?',
  ]);
  t.deepEqual(found(`${FILLER}\nWhen does the ferry leave?`), ['last_sentence', 'When does the ferry leave?']);
  t.deepEqual(found(`When does the ferry leave?\n${FILLER}`), ['first_sentence', 'When does the ferry leave?']);
  t.deepEqual(found(`${FILLER}船はいつ出ますか、正午ですか？`), ['last_sentence', '船はいつ出ますか、正午ですか？']);
});

test('does not extract questions that belong to the text', (t) => {
  t.is(findQuestion(FILLER), null);
  t.is(findQuestion(`${FILLER} Who built it? Nobody knows. ${FILLER}`), null);
  t.is(findQuestion(`Q: Where is the harbour in town?\nA: In the north.\n\n${FILLER}`)?.source, 'first_sentence');
  t.is(findQuestion(`${FILLER}\nQ: When was it built here?\nA: Long ago.\n${FILLER}`), null);
  t.is(findQuestion('What?'), null);
});

test('text without ends of sentences is searched for a question in one pass', (t) => {
  t.timeout(60_000);
  for (const character of ['ก', '”', ',']) {
    t.is(findQuestion(character.repeat(8_001)), null);
    // Thousands of texts, so that a search that begins again at each character does not end in time.
    for (let text = 0; text < 2_000; text += 1) findQuestion(character.repeat(4_000));
    t.deepEqual(findQuestion(`${character.repeat(200)}. When does it leave?`)?.text, 'When does it leave?');
  }
  t.is(findQuestion('متى تغادر العبارة؟ ومتى تعود إلى هنا؟')?.text, 'ومتى تعود إلى هنا؟');
});

test('does not take question marks of URLs and code for questions', (t) => {
  for (const text of [
    'We updated the guide. The details are at https://example.com/docs?page=2',
    'We updated the guide. The details are at https://example.com/docs?',
    'function f(user) {\n  const a = 1;\n  return user?.name;\n}',
    'The pattern /colou?r/ matches both of them.',
    'const value: string = ready?one:two;',
    'The field name?: string may be missing.',
    'const value: string = ready?"yes":"no";',
    'const value = list?.[0]',
    '<?xml version="1.0" encoding="UTF-8"?>',
  ])
    t.is(findQuestion(text), null, text);
  for (const text of [
    'He asked "When does it leave?"',
    'When does it leave (and why?)',
    'Is the ferry late?!',
    '**When does it leave?**',
    '船はいつ出ますか?明日ですか?',
    'Quand part le bateau ?',
    'When does it leave? See https://example.com/docs',
  ])
    t.is(findQuestion(text) === null, text.includes(' ?'), text);
});

test('finds questions that marks of a markup or of data close', (t) => {
  for (const close of [
    '</question>',
    '</p>',
    '<|im_end|>',
    ' [/INST]',
    '[/INST]',
    '"}',
    '"]',
    '",',
    '`',
    '|',
    ';',
    '\\n',
    '",\\n"',
    '").',
    '...',
    '**]',
  ]) {
    const found = findQuestion(`${FILLER}\n"What is the refund period?${close}`);
    t.regex(found?.text ?? '', /^"What is the refund period\?["')\]]*$/, close);
  }
  t.regex(findQuestion(JSON.stringify({ context: FILLER, q: ['Who pays it?'] }))?.text ?? '', /Who pays it\?"\]?$/);
});

test('splits a text into windows that add up to it, within the limit, with whole paragraphs', async (t) => {
  const all = async (parts: readonly string[], size: number) => {
    const windows: string[] = [];
    for await (const window of cutWindows(parts, size)) windows.push(window);
    return windows;
  };
  t.deepEqual(await all(['one two\n\nthree four\n\n', 'five'], 22), ['one two\n\nthree four\n\n', 'five']);
  const part = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('\n\n', '\n', ' ', '. ', '🚢'));
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 30 }), fc.integer({ min: 8, max: 60 }), async (parts, size) => {
      const windows = await all(parts, size);
      t.is(windows.join(''), parts.join(''));
      t.true(windows.every((window) => window.length <= size && window !== '' && window.isWellFormed()));
      t.deepEqual(await all([parts.join('')], size), windows);
    }),
    { numRuns: 300 },
  );
});

test('divides a budget by size or by the best sentences, and never exceeds it', (t) => {
  const windows = [{ tokens: 1_000 }, { tokens: 3_000 }];
  t.deepEqual(shareBudget(400, windows, null), [100, 300]);
  const weights = [
    { scores: Float64Array.from([5, 4]), tokens: Uint32Array.from([200, 350]) },
    { scores: Float64Array.from([1, 0.5]), tokens: Uint32Array.from([1_000, 3_000]) },
  ];
  const [first = 0, second = 0] = shareBudget(400, windows, weights);
  t.true(first > 250 && first + second <= 400, `${first} ${second}`);
  const none = windows.map(() => ({ scores: new Float64Array(), tokens: new Uint32Array() }));
  t.deepEqual(shareBudget(400, windows, none), [100, 300]);
});

test('the budget goes to the sentences that would be first if those of all windows were sorted by score', (t) => {
  const window = fc.array(
    fc.record({ score: fc.integer({ min: 1, max: 20 }), tokens: fc.integer({ min: 1, max: 30 }) }),
  );
  fc.assert(
    fc.property(fc.array(window, { minLength: 2, maxLength: 5 }), fc.integer({ min: 200, max: 800 }), (all, budget) => {
      const sorted = all.map((sentences) => sentences.toSorted((one, other) => other.score - one.score));
      const weights = sorted.map((sentences) => {
        let sum = 0;
        return {
          scores: Float64Array.from(sentences, ({ score }) => score),
          tokens: Uint32Array.from(sentences, ({ tokens }) => (sum += tokens)),
        };
      });
      const expected = all.map(() => 0);
      let room = budget;
      const merged = sorted.flatMap((sentences, at) => sentences.map((sentence) => ({ ...sentence, at })));
      for (const { at, tokens } of merged.toSorted((one, other) => other.score - one.score || one.at - other.at)) {
        expected[at] = (expected[at] ?? 0) + Math.min(tokens, room);
        room -= Math.min(tokens, room);
      }
      // So large that the part by size is a fifth, the same for all.
      const windows = all.map(() => ({ tokens: 100_000 }));
      const wanted = expected.map((tokens) => 0.2 * (budget / all.length) + 0.8 * (tokens + room / all.length));
      const shares = shareBudget(budget, windows, weights);
      if (wanted.every((tokens) => tokens >= 25))
        for (const [at, share] of shares.entries()) t.true(Math.abs(share - (wanted[at] ?? 0)) <= 1, shares.join(' '));
      t.true(shares.reduce((sum, share) => sum + share, 0) <= budget);
    }),
  );
});

test('a budget that is too small for all windows goes to some of them, and to one at least', (t) => {
  const windows = Array.from({ length: 40 }, () => ({ tokens: 3_000 }));
  const shares = shareBudget(100, windows, null).filter((share) => share > 0);
  t.deepEqual(shares, [25, 25, 25, 25]);
  for (const budget of [1, 2, 10]) t.deepEqual(shareBudget(budget, windows, null).filter(Boolean), [budget]);
});
