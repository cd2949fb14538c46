import test from 'ava';
import { findQuote, statementBefore } from '#domain/answers/find-quote.ts';
import { createMatcher } from '#domain/search/find-matches.ts';

const PASSAGE = 'The harbour opens at six. Ferries to Ulva leave at noon and at five.\n\nTickets are sold on board.';

test('quotes the sentence that a statement rests on, with its offsets', (t) => {
  const quote = findQuote(PASSAGE, createMatcher('The ferry to Ulva leaves at noon'));
  t.is(quote?.quote, 'Ferries to Ulva leave at noon and at five.');
  t.is(PASSAGE.slice(quote?.start, quote?.end), quote?.quote ?? '');
});

test('quotes what says most of a statement, however long it is, and not the heading above it', (t) => {
  const sentence =
    'Every employee who has been with the company for at least twelve months is entitled to sixteen weeks of parental leave at full pay.';
  for (const heading of ['Parental leave\n\n', '# Parental leave\n\n', '## Parental leave for employees\n'])
    t.is(
      findQuote(heading + sentence, createMatcher('Employees get sixteen weeks of parental leave'))?.quote,
      sentence,
    );
  const refunds = 'Customers who cancel within fourteen days get their money back, and it is paid by the bank.';
  for (const heading of ['Refunds\n\n', '## Refunds\n\n', '## Refunds of customers who cancel\n'])
    t.is(findQuote(heading + refunds, createMatcher('Refunds are paid'))?.quote, refunds);
});

test('in scripts without spaces, quotes the sentence that has most of a statement', (t) => {
  const passage = '办公室的地址已经更改。会议室需要提前预订。要重置密码，请在登录页面点击链接并输入邮箱。';
  t.is(
    findQuote(passage, createMatcher('重置密码需要在登录页面点击链接'))?.quote,
    '要重置密码，请在登录页面点击链接并输入邮箱。',
  );
});

test('reads a passage in the language of the headings above it', (t) => {
  const passage = 'Wohnungen: Meier. Schulen: Kunze. Krankenhäuser: Vogt.';
  const context =
    'Zuständigkeiten der Abteilungen, die für die Verwaltung der Gebäude in der Stadt verantwortlich sind';
  t.is(findQuote(passage, createMatcher('Krankenhaus'), context)?.quote, 'Krankenhäuser: Vogt.');
});

test('quotes a comment of code that says most of a statement', (t) => {
  const script = '#!/bin/sh\n# The retention of backups is 30 days.\nRETENTION=30\n\nBackups are made nightly.';
  const quote = findQuote(script, createMatcher('The retention of backups is 30 days'))?.quote;
  t.is(quote, '# The retention of backups is 30 days.');
});

test('of sentences that say as much, the shortest is quoted, and a heading if nothing else says it', (t) => {
  const passage =
    'On most days of the year the ferry leaves at noon. The ferry leaves at noon. The ferry leaves the pier at noon.';
  t.is(findQuote(passage, createMatcher('The ferry leaves at noon'))?.quote, 'The ferry leaves at noon.');
  t.is(findQuote('# Ferries\n\nSee the website.', createMatcher('ferry'))?.quote, '# Ferries');
  t.is(findQuote('The ferry leaves at noon\n\nThe ferry is red.', createMatcher('ferry leaves noon'))?.start, 0);
});

test('quotes nothing when no sentence shares a word with the statement', (t) => {
  t.is(findQuote(PASSAGE, createMatcher('Penguins live in Antarctica')), null);
  t.is(findQuote('', createMatcher('anything')), null);
});

test('a mark belongs to the sentence that it stands in, or directly behind', (t) => {
  const answer = 'The harbour opens early [2]. Ferries leave at noon [1][3]. Buy tickets on board. [2]';
  const statements = [...answer.matchAll(/\[/g)].map(({ index }) => statementBefore(answer, index));
  t.deepEqual(statements, [
    'The harbour opens early',
    'Ferries leave at noon',
    'Ferries leave at noon',
    'Buy tickets on board.',
  ]);
});

test('finds quotes in languages without spaces and with inflected words', (t) => {
  t.is(
    findQuote('港は六時に開く。フェリーは正午に出る。', createMatcher('フェリーは正午に出発します'))?.quote,
    'フェリーは正午に出る。',
  );
  t.is(
    findQuote('Порт открыт с шести. Паромы отходят в полдень.', createMatcher('Паром отходит в полдень'))?.quote,
    'Паромы отходят в полдень.',
  );
});
