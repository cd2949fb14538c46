import test from 'ava';
import * as fc from 'fast-check';
import { readQuery } from '#domain/search/find-matches.ts';
import { STOP_WORDS } from '#domain/search/languages.ts';
import { keywordQuery, stemmedText } from '#store/weaviate/stemmed-text.ts';

test('stems, folds and marks shadow terms, and keeps words with digits whole', (t) => {
  t.is(stemmedText('Connections, connected: ÉCOLES! E4711b'), 'ƾconnect ƾconnect ƾecol ƾe4711b');
});

test('splits scripts without spaces into overlapping pairs, and keeps the words around them', (t) => {
  t.is(stemmedText('東京タワーABC 本'), 'ƾ東京 ƾ京タ ƾタワ ƾワー ƾabc ƾ本');
});

test('stems a text in its language, by script, and pairs Hangul', (t) => {
  t.is(
    stemmedText('Les chevaux sont dans la cour de la ferme'),
    'ƾfrƾle ƾfrƾcheval ƾfrƾsont ƾfrƾdan ƾfrƾla ƾfrƾcour ƾfrƾde ƾfrƾla ƾfrƾferm',
  );
  t.is(stemmedText('города'), 'ƾruƾгород');
  t.is(stemmedText('수도이며'), 'ƾ수도 ƾ도이 ƾ이며');
});

test('a query also has the terms of objects that were indexed when only English was stemmed', (t) => {
  const asked = (query: string) => new Set(keywordQuery(query).split(' '));
  t.true(asked('chevaux').has('ƾchevaux'));
  t.true(asked('города').has('ƾгорода'));
  t.true(asked('수도이며').has('ƾ수도이며'));
});

test('queries significant words in both properties, as spelled and as shadow terms', (t) => {
  const asked = keywordQuery('What is the Connection?').split(' ');
  t.deepEqual(asked.slice(0, 2), ['Connection', 'ƾconnect']);
  t.true(
    asked.slice(2).every((term) => /^ƾ[a-z]{2}ƾconnect/.test(term)),
    'the stems in other languages',
  );
  t.deepEqual(keywordQuery('to be').split(' ').slice(0, 3), ['to', 'be', 'ƾto']);
  t.is(keywordQuery(' ?! '), '');
});

test('limits a long query to its first 128 words', (t) => {
  t.is(keywordQuery(Array.from({ length: 500 }, (_, index) => `word${index}`).join(' ')).split(' ').length, 256);
});

/** Any text without the marker character, which no living alphabet contains. */
const ordinary = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => !text.includes('ƾ'));

test('a query has a term of every word of a text that contains it', (t) => {
  const functionWords = new Set(Object.values(STOP_WORDS).flatMap((words) => [...words]));
  fc.assert(
    fc.property(ordinary, (query) => {
      const indexed = new Set(stemmedText(`before ${query} after`).split(' '));
      for (const { word, terms } of readQuery(query)) {
        if (functionWords.has(word.toLowerCase())) continue;
        t.true(
          terms.some((term) => indexed.has(term)),
          word,
        );
      }
    }),
    { numRuns: 2_000 },
  );
});

test('stems every sequence of letters of a language, inflected or not', (t) => {
  const alphabets = [
    'aąbcćdeęhijklłmnńoóprsśtuwyzźż',
    'aábcčdďeéěhiíklmnňoóprřsštťuúůvyýzž',
    'ابپتجچحخدرزژسشعغفقکگلمنوهی',
    'אבגדהוזחטיכךלמםנןסעפףצץקרשת',
  ];
  for (const letters of alphabets) {
    const word = fc
      .array(fc.constantFrom(...letters.split('')), { minLength: 1, maxLength: 45 })
      .map((each) => each.join(''));
    fc.assert(fc.property(word, (each) => t.true(stemmedText(`${each} ${each}`).length > 2)));
  }
});
