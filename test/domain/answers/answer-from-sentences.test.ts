import test from 'ava';
import { answerFromSentences } from '#domain/answers/answer-from-sentences.ts';
import { selectPassages, type FoundPassage } from '#domain/answers/passages.ts';

function passages(...texts: string[]) {
  const found = texts.map((content): FoundPassage => ({
    content,
    content_id: 'c',
    collection_id: 'd',
    chunk_id: 'e',
    source: 'a.txt',
    page: null,
    heading_path: [],
    score: 1,
    relevance: 1,
  }));
  return selectPassages(found, 1_000);
}

test('answers with the sentence that says it, and cites its passage', (t) => {
  const found = passages(
    'The harbour is old. It has a lighthouse.',
    'When does the ferry leave? The ferry to Ulva leaves at noon. Tickets are sold on board.',
  );
  t.deepEqual(answerFromSentences('When does the ferry to Ulva leave?', found), {
    text: 'The ferry to Ulva leaves at noon. [2]',
    marks: [{ number: 2, at: 34, cited: { start: 27, end: 60 } }],
  });
});

test('without a word in common, answers with the first sentence of the best passage', (t) => {
  t.is(
    answerFromSentences('Quand part le bateau?', passages('The ferry leaves at noon. It is blue.')).text,
    'The ferry leaves at noon. [1]',
  );
});

test('in scripts without spaces, answers with the sentence that has most of the question', (t) => {
  const found = passages('公司忘年会的地址已经更改。会议室如何布置请问前台。忘记密码时，请在登录页面重置密码。');
  t.is(answerFromSentences('如何重置忘记的密码', found).text.split(' [1]')[0], '忘记密码时，请在登录页面重置密码。');
});

test('reads a passage in the language of the headings above it', (t) => {
  const found = passages('Wohnungen: Meier. Schulen: Kunze. Krankenhäuser: Vogt.');
  const heading =
    'Zuständigkeiten der Abteilungen, die für die Verwaltung der Gebäude in der Stadt verantwortlich sind';
  const contexts = new Map([['e', heading]]);
  t.is(answerFromSentences('Krankenhaus', found, contexts).text, 'Krankenhäuser: Vogt. [1]');
});

test('marks within the text of a document are not taken for citations', (t) => {
  const answer = (text: string) => answerFromSentences('Where do otters sleep?', passages(text));
  t.is(answer('Otters sleep afloat [7].').text, 'Otters sleep afloat. [1]');
  const { text, marks } = answer('As shown in [1, 2] otters sleep on days [12, 15].');
  t.is(text, 'As shown in [1, 2] otters sleep on days [12, 15]. [1]');
  t.like(marks, { length: 1, 0: { number: 1, at: text.lastIndexOf('[1]') } });
});

test('a row of a table is read out with the titles of its columns, and cites the row', (t) => {
  const table =
    '| route | departs | note |\n| --- | ---: | --- |\n| Ulva | 10:00 |  |\n| Iona | 11:00 | not on Sundays |\n';
  const { text, marks } = answerFromSentences('When does the route to Ulva depart?', passages(table));
  t.is(text, 'route: Ulva; departs: 10:00 [1]');
  const { start = 0, end = 0 } = marks[0]?.cited ?? {};
  t.is(table.slice(start, end), '| Ulva | 10:00 |  |');
  // The titles are in another passage.
  t.is(
    answerFromSentences('When does Iona depart?', passages('| Iona | 11:00 | a \\| b |\n')).text,
    'Iona; 11:00; a | b [1]',
  );
});

test('rows of a table are told apart however it is written', (t) => {
  const answer = (table: string) => answerFromSentences('price of apples', passages(table)).text;
  for (const table of [
    '| Item | Price |\n| --- | --- |\n| apples | 3 € |\n| pears | 4 € |',
    '| Item | Price |\n|---|---|\n| apples | 3 € |\n| pears | 4 € |',
    '|Item|Price|\n|:-|-:|\n|apples|3 €|\n|pears|4 €|\n|plums|5 €|',
  ])
    t.is(answer(table), 'Item: apples; Price: 3 € [1]');
});

test('headings answer nothing, unless there is nothing else, and never make a heading of an answer', (t) => {
  const answer = (text: string) => answerFromSentences('How are refunds paid?', passages(text)).text;
  const sentence = 'Customers who cancel within fourteen days get their money back, and it is paid by the bank.';
  for (const heading of ['## Refunds\n\n', '## Refunds\n', 'Text before it.\n\n# Refunds\n\n'])
    t.is(answer(heading + sentence), `${sentence} [1]`);
  t.true(answer(`Refunds\n\n${sentence}`).startsWith(sentence));
  t.is(answer('## Refunds\n'), 'Refunds [1]');
});

test('a comment of code is no heading: it may say what is asked for', (t) => {
  const answer = (text: string) => answerFromSentences('What is the retention of backups?', passages(text)).text;
  const rest = 'The script needs root. Backups are made nightly.';
  const script = `#!/bin/sh\n# The retention of backups is 30 days.\nRETENTION=30\n\n${rest}`;
  t.regex(answer(script), /^The retention of backups is 30 days\. \[1\]/);
  t.regex(
    answer(`\`\`\`yaml\n# retention of backups: a month\nkeep: 30\n\`\`\`\n\n${rest}`),
    /^retention of backups: a month \[1\]/,
  );
  t.regex(answer(`# retention of backups: 30 days\nkeep: 30\n\n${rest}`), /^retention of backups: 30 days \[1\]/);
  t.regex(answer(`\`\`\`sh\n# copies\n\`\`\`\n\n# Retention of backups\n\n${rest}`), /^Backups are made nightly\./);
  t.regex(answer(`## 3 Retention of backups\n\n${rest}`), /^Backups are made nightly\./);
});

test('a passage that is nothing but a question, or the head of a table, is quoted as it is', (t) => {
  const answer = (...texts: string[]) => answerFromSentences('When does the ferry depart?', passages(...texts)).text;
  t.is(answer('Which ferry departs at noon?'), 'Which ferry departs at noon? [1]');
  t.is(answer('| ferry | departs |\n| --- | --- |'), '| ferry | departs | [1]');
  t.is(answer('Which ferry departs at noon?', 'It departs at ten.'), 'It departs at ten. [2]');
});

test('images and tags of a document are made harmless, also where the sentence ends within one', (t) => {
  const answer = (text: string) => answerFromSentences('Where do otters sleep?', passages(text)).text;
  t.is(answer('Otters sleep ![x](https://evil.example).'), 'Otters sleep [x](https://evil.example). [1]');
  t.is(answer('Otters sleep <img'), 'Otters sleep < img [1]');
});

test('takes passages while they fit, each text once, and at least one', (t) => {
  t.deepEqual(
    passages('One text.', 'One text.', 'Another text.').map(({ number, content }) => [number, content]),
    [
      [1, 'One text.'],
      [2, 'Another text.'],
    ],
  );
  const long = passages('x'.repeat(10_000), 'y'.repeat(10_000));
  t.is(long.length, 1);
});
