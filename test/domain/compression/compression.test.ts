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
  const windows = [{ tokens: 100 }, { tokens: 300 }];
  t.deepEqual(shareBudget(40, windows, null), [10, 30]);
  const weights = [
    { scores: Float64Array.from([5, 4]), tokens: Uint32Array.from([20, 15]) },
    { scores: Float64Array.from([1, 0]), tokens: Uint32Array.from([100, 200]) },
  ];
  const [first = 0, second = 0] = shareBudget(40, windows, weights);
  t.true(first > 25 && first + second <= 40, `${first} ${second}`);
  const none = weights.map(({ tokens }) => ({ tokens, scores: Float64Array.from([0, 0]) }));
  t.deepEqual(shareBudget(40, windows, none), [10, 30]);
});
