import test from 'ava';
import { searchedWords } from '#domain/search/searched-words.ts';

const searched = (query: string) => searchedWords(query).join(' ');

test('function words are left out unless there are no others', (t) => {
  t.is(searched('What is the best way to a harbour?'), 'best way harbour');
  t.is(searched("It's the one I'd choose, and we don't know who'll pay"), 'one choose don know pay');
  t.is(searched('We’re where they’ve been'), 'We re where they ve been');
  t.is(searched('WHAT IS THE BEST WAY'), 'BEST WAY');
  t.is(searched('who am I'), 'who am I');
  t.is(searched('A ferry. A harbour. Can I pay in it'), 'ferry harbour pay');
});

test('letters that are no ending of a contraction are searched', (t) => {
  t.is(searched('vitamin d deficiency'), 'vitamin d deficiency');
  t.is(searched('the t test'), 't test');
  t.is(searched('how much vitamin a'), 'much vitamin a');
  t.is(searched('World War I'), 'World War I');
  t.is(searched('is there a hepatitis A vaccine?'), 'hepatitis A vaccine');
});

test('names in capitals that spell function words are searched, unless all is in capitals', (t) => {
  t.is(searched('IT security in the US'), 'IT security US');
  t.is(searched('WHO guideline'), 'WHO guideline');
  t.is(searched('IT セキュリティ'), 'IT セキュリティ');
  t.is(searched('US ECONOMY'), 'ECONOMY');
});
