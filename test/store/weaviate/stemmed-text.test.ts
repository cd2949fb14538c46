import test from 'ava';
import * as fc from 'fast-check';
import { keywordQuery, stemmedText } from '#store/weaviate/stemmed-text.ts';

test('stems, folds and marks shadow terms, and keeps words with digits whole', (t) => {
  t.is(stemmedText('Connections, connected: ÉCOLES! E4711b'), 'ƾconnect ƾconnect ƾecol ƾe4711b');
});

test('splits scripts without spaces into overlapping pairs, and keeps the words around them', (t) => {
  t.is(stemmedText('東京タワーABC 本'), 'ƾ東京 ƾ京タ ƾタワ ƾワー ƾabc ƾ本');
});

test('queries significant words in both properties, as spelled and as shadow terms', (t) => {
  t.is(keywordQuery('What is the Connection?'), 'Connection ƾconnect');
  t.is(keywordQuery('to be'), 'to be ƾto ƾbe');
  t.is(keywordQuery(' ?! '), '');
});

test('limits a long query to its first 128 words', (t) => {
  t.is(keywordQuery(Array.from({ length: 500 }, (_, index) => `word${index}`).join(' ')).split(' ').length, 256);
});

/** Any text without the marker character, which no living alphabet contains. */
const ordinary = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => !text.includes('ƾ'));

test('gives a query only shadow terms of the texts that contain it', (t) => {
  fc.assert(
    fc.property(ordinary, (query) => {
      const indexed = new Set(stemmedText(`before ${query} after`).split(' '));
      const asked = keywordQuery(query)
        .split(' ')
        .filter((term) => term.startsWith('ƾ'));
      for (const term of asked) t.true(indexed.has(term), term);
    }),
    { numRuns: 2_000 },
  );
});
