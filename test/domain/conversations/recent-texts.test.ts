import test from 'ava';
import * as fc from 'fast-check';
import { recentTexts } from '#domain/conversations/recent-texts.ts';
import { estimateTokens } from '#domain/chunking/estimate-tokens.ts';

const Texts = fc.array(fc.record({ content: fc.string({ unit: 'grapheme', maxLength: 60 }) }), { maxLength: 8 });

test('the last texts stay whole, the one that exceeds the limit is cut, and those before it are left out', (t) => {
  fc.assert(
    fc.property(Texts, fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 6 }), (texts, tokens, count) => {
      const recent = recentTexts(texts, { count, tokens });
      t.true(recent.length <= count);
      t.true(recent.reduce((sum, { content }) => sum + estimateTokens(content), 0) <= tokens);
      const last = recent.length === 0 ? [] : texts.slice(-recent.length);
      t.deepEqual(recent.slice(1), last.slice(1));
      t.true((last[0]?.content ?? '').startsWith(recent[0]?.content ?? ''));
      t.true(recent.every(({ content }) => content.isWellFormed()));
    }),
  );
  t.deepEqual(recentTexts([{ content: 'abcdef' }, { content: '船船' }], { count: 9, tokens: 3 }), [
    { content: 'abc' },
    { content: '船船' },
  ]);
});
