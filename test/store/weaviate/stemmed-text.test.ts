import test from 'ava';
import * as fc from 'fast-check';
import { keywordQuery, stemmedText } from '#store/weaviate/stemmed-text.ts';

test('shadow terms are stemmed, folded and marked, and words with digits stay whole', (t) => {
  t.is(stemmedText('Connections, connected: ÉCOLES! E4711b'), 'ƾconnect ƾconnect ƾecol ƾe4711b');
});

test('scripts without spaces become overlapping pairs, beside the words around them', (t) => {
  t.is(stemmedText('東京タワーABC 本'), 'ƾ東京 ƾ京タ ƾタワ ƾワー ƾabc ƾ本');
});

test('a query asks for its telling words in both properties, in their own spelling and as shadow terms', (t) => {
  t.is(keywordQuery('What is the Connection?'), 'Connection ƾconnect');
  t.is(keywordQuery('to be'), 'to be ƾto ƾbe');
  t.is(keywordQuery(' ?! '), '');
});

test('a pasted page is asked by its first 128 words', (t) => {
  t.is(keywordQuery(Array.from({ length: 500 }, (_, index) => `word${index}`).join(' ')).split(' ').length, 256);
});

/** Any text without the mark itself, which no living alphabet has. */
const ordinary = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => !text.includes('ƾ'));

test('every shadow term of a query is one of a text that contains the query', (t) => {
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
