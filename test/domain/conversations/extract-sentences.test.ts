import { array, assert, constantFrom, nat, property } from 'fast-check';
import test from 'ava';
import { extractSentences } from '#domain/conversations/extract-sentences.ts';

test('keeps the sentences that others support, verbatim and in order', (t) => {
  const texts = [
    'The ferry to Oslo leaves at noon. My cousin likes jazz.',
    'So the ferry leaves Oslo at noon on Friday?\nIt rains.',
    'We book the ferry to Oslo for Friday noon.',
  ];
  const sentences = extractSentences(texts, 120);
  t.deepEqual(sentences, [
    'The ferry to Oslo leaves at noon.',
    'So the ferry leaves Oslo at noon on Friday?',
    'We book the ferry to Oslo for Friday noon.',
  ]);
});

test('omits repetitions and sentences that are too long for the summary', (t) => {
  t.deepEqual(extractSentences(['Yes, it is late. Yes, it is late.', `${'long '.repeat(50)}.`], 100), [
    'Yes, it is late.',
  ]);
  t.deepEqual(extractSentences([], 100), []);
  t.deepEqual(extractSentences([' ', '\n'], 100), []);
});

test('returns only sentences of the texts, within the budget, for any texts', (t) => {
  const word = constantFrom('otter', 'river', 'bridge', 'sleeps', '東京', 'z.B.', 'ab', '.', '!', '\n', '…');
  const text = array(word, { maxLength: 40 }).map((words) => words.join(' '));
  assert(
    property(array(text, { maxLength: 6 }), nat(300), (texts, room) => {
      const sentences = extractSentences(texts, room);
      t.true(sentences.every((sentence) => texts.some((one) => one.includes(sentence))));
      t.true(sentences.join(' ').length <= room);
      t.deepEqual(extractSentences(texts, room), sentences);
    }),
    { numRuns: 200 },
  );
});
