import test from 'ava';
import * as fc from 'fast-check';
import { bestPassage } from '#domain/search/best-passage.ts';
import { findMatches } from '#domain/search/find-matches.ts';

const passageOf = (text: string, query: string, most = 60) => {
  const passage = bestPassage(text, findMatches(text, query), most);
  return {
    text: text.slice(passage.start, passage.end),
    words: passage.matches.map((one) => text.slice(one.start, one.end)),
  };
};

test('the passage is the whole sentences with the most words of the query, other inflections included', (t) => {
  const text = '# Otters\n\nOtters are mammals. They sleep while holding hands. Their fur is dense.';
  t.deepEqual(passageOf(text, 'how does an otter sleep and hold hands', 40), {
    text: 'They sleep while holding hands.',
    words: ['sleep', 'holding', 'hands'],
  });
  t.is(passageOf(text, 'mammal sleeping').text, 'Otters are mammals. They sleep while holding hands.');
});

test('in scripts without spaces, the passage is where most of a word is', (t) => {
  const text =
    '用户忘记的东西可以在前台领取。办公室的地址已经更改，会议室需要提前预订，请联系前台，谢谢。要重置密码，请在登录页面点击链接并输入邮箱。';
  t.is(passageOf(text, '用户如何重置密码', 30).text, '要重置密码，请在登录页面点击链接并输入邮箱。');
});

test('without a match the passage is the beginning, and headings are left out', (t) => {
  t.deepEqual(passageOf('# Otters\n\nThey eat fish. They rest.', 'xyz', 20), { text: 'They eat fish.', words: [] });
  t.is(passageOf('# Otters', 'xyz').text, '# Otters');
  t.is(passageOf('', 'xyz').text, '');
});

test('a long sentence is cut at words around its match', (t) => {
  const text = `${'many words come first and '.repeat(20)}then the otter sleeps ${'and more follow '.repeat(20)}`;
  const { text: passage, words } = passageOf(text, 'otter', 80);
  t.true(passage.length <= 80 && passage.includes('the otter sleeps'));
  t.regex(passage, /^\w+ .* \w+$/);
  t.deepEqual(words, ['otter']);
});

test('each match is looked at a bounded number of times, however many sentences the text has', (t) => {
  const readsOf = (sentences: number) => {
    const text = 'Ab. '.repeat(sentences);
    let reads = 0;
    const counted = new Proxy(findMatches(text, 'ab'), {
      get: (matches, name, receiver) => {
        if (typeof name === 'string' && /^\d+$/.test(name)) reads += 1;
        return Reflect.get(matches, name, receiver);
      },
    });
    bestPassage(text, counted, 300);
    return reads;
  };
  t.true(readsOf(2_000) <= 12 * 2_000, `${readsOf(2_000)}`);
});

test('no other sequence of sentences that fits has more words of the query', (t) => {
  const sentence = fc.constantFrom(
    'Otters swim. ',
    'They eat fish. ',
    'サル。',
    'We hold hands. ',
    'Idle words fill a page. ',
  );
  fc.assert(
    fc.property(fc.array(sentence, { maxLength: 20 }), (sentences) => {
      const text = sentences.join('');
      const matches = findMatches(text, 'otters hold fish サル');
      const wordsIn = (start: number, end: number) =>
        new Set(matches.filter((one) => one.start >= start && one.end <= end).map((one) => one.queryWord)).size;
      const most = sentences.flatMap((_, from) => {
        const start = sentences.slice(0, from).join('').length;
        const ends = sentences.slice(from).map(
          (_one, to) =>
            sentences
              .slice(0, from + to + 1)
              .join('')
              .trimEnd().length,
        );
        return ends.filter((end) => end - start <= 60).map((end) => wordsIn(start, end));
      });
      const { start, end } = bestPassage(text, matches, 60);
      t.is(wordsIn(start, end), Math.max(0, ...most), text);
    }),
  );
});

test('a passage of any text stays within its length and the text, with its matches inside', (t) => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.array(fc.constantFrom('otter ', 'x. ', '😀', '\n')),
      (noise, words) => {
        const text = noise + words.join('') + noise;
        const { start, end, matches } = bestPassage(text, findMatches(text, 'otters x'), 50);
        t.true(start >= 0 && start <= end && end <= text.length && end - start <= 50);
        t.true(text.slice(start, end).isWellFormed() || !text.isWellFormed());
        for (const match of matches) t.true(match.start >= start && match.end <= end);
      },
    ),
  );
});
