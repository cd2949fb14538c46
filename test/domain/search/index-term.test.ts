import test from 'ava';
import { readableTerm } from '#domain/search/index-term.ts';
import { queryPartsOf } from '#domain/search/text-terms.ts';

const readable = (word: string) => queryPartsOf(word).map(({ terms }) => readableTerm(terms[0] ?? ''));

test('terms of scripts with vowel signs are read as the word is spelled, pair by pair where that is how it is indexed', (t) => {
  t.deepEqual(readable('हिन्दी'), ['हिन्दी']);
  t.deepEqual(readable('தமிழ்'), ['தமிழ்']);
  t.deepEqual(readable('ที่นี่'), ['ที', 'ี่', '่น', 'นี']);
  t.deepEqual(readable('មែរ'), ['មែ', 'ែរ']);
});

test('rare Han characters, which stand for vowel signs in other terms, are read as they are', (t) => {
  for (const word of ['𠹌', '中𠹌', '𠹌中', 'の𠹌', '𠹌𠌀', '𠹌한']) t.deepEqual(readable(word), [word]);
});
