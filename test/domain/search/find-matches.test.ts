import test from 'ava';
import * as fc from 'fast-check';
import { findMatches } from '#domain/search/find-matches.ts';

const matched = (text: string, query: string) =>
  findMatches(text, query).map(({ start, end, queryWord }) => [text.slice(start, end), queryWord]);

test('finds other inflections in the language of the text, with the word of the query', (t) => {
  t.deepEqual(matched('The ferries connect both harbours.', 'connections of a ferry'), [
    ['ferries', 'ferry'],
    ['connect', 'connections'],
  ]);
  t.deepEqual(matched('Les chevaux du haras national sont soignés chaque matin.', 'soigner un cheval'), [
    ['chevaux', 'cheval'],
    ['soignés', 'soigner'],
  ]);
  t.deepEqual(matched('Жители города собрались на площади.', 'город'), [['города', 'город']]);
  t.deepEqual(matched('يبيع التجار الكتب في شوارع العاصمة', 'شارع'), [['شوارع', 'شارع']]);
});

test('the word of a query may be what a stemmer leaves of its inflections', (t) => {
  t.deepEqual(matched('Alle fietsen worden door de monteurs gecontroleerd.', 'fiets'), [['fietsen', 'fiets']]);
  t.deepEqual(matched('A városokban új iskolákat építenek.', 'iskola'), [['iskolákat', 'iskola']]);
});

test('an Arabic noun finds its broken plural', (t) => {
  t.deepEqual(matched('زار المهندسون مدنها', 'مدينة'), [['مدنها', 'مدينة']]);
});

test('finds the parts of words in scripts that are indexed in pairs, and joins overlapping pairs', (t) => {
  t.deepEqual(matched('서울은 대한민국의 수도이며', '수도'), [['수도', '수도']]);
  t.deepEqual(matched('서울은 대한민국의 수도이며', '대한민국'), [['대한민국', '대한민국']]);
  t.deepEqual(matched('東京タワーABC', '東京タワ'), [['東京タワ', '東京タワ']]);
});

test('finds words that are typed without accents, or composed differently', (t) => {
  t.deepEqual(matched('Les écoles du quartier sont fermées pour les vacances.', 'ecole'), [['écoles', 'ecole']]);
  const decomposed = 'Un cafe\u0301 noir';
  t.deepEqual(matched(decomposed, 'caf\u00e9'), [['cafe\u0301', 'caf\u00e9']]);
});

test('leaves function words of the query out unless there are no other words', (t) => {
  t.deepEqual(matched('What is the ferry?', 'what is the ferry'), [['ferry', 'ferry']]);
  t.deepEqual(matched('to be or not', 'to be'), [
    ['to', 'to'],
    ['be', 'be'],
  ]);
  t.deepEqual(matched('a ferry', ' ?! '), []);
});

test('returns places of the text in order, without overlaps, and finds each word of the text itself', (t) => {
  const text = fc.string({ unit: 'grapheme', maxLength: 60 });
  fc.assert(
    fc.property(text, text, (content, query) => {
      let last = 0;
      for (const { start, end } of findMatches(content, query)) {
        t.true(start >= last && end > start && end <= content.length);
        last = end;
      }
    }),
    { numRuns: 500 },
  );
});
