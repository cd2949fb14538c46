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

test('letters that French and Italian elide are not searched, with either apostrophe', (t) => {
  for (const apostrophe of ["'", '’']) {
    const elided = (query: string) => searched(query.replaceAll("'", apostrophe));
    t.is(elided("demande d'aide"), 'demande aide');
    t.is(elided("comment s'inscrire"), 'comment inscrire');
    t.is(elided("je m'appelle Émile"), 'je appelle Émile');
    t.is(elided("il t'écoute"), 'il écoute');
    t.is(elided("D'Artagnan"), 'Artagnan');
    t.is(elided("un bicchiere d'acqua"), 'un bicchiere acqua');
    t.is(elided("vitamin d's role"), 'vitamin d role', 'an English genitive is no elision');
  }
});

test('names in capitals that spell function words are searched, unless all is in capitals', (t) => {
  t.is(searched('IT security in the US'), 'IT security US');
  t.is(searched('WHO guideline'), 'WHO guideline');
  t.is(searched('IT セキュリティ'), 'IT セキュリティ');
  t.is(searched('US ECONOMY'), 'ECONOMY');
});
