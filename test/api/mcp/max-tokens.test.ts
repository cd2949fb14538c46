import test from 'ava';
import { array, assert, integer, property, string } from 'fast-check';
import { cutText, tokensOf } from '#api/mcp/max-tokens.ts';

test('a text is cut to a beginning of itself that fits, never within a character', (t) => {
  const texts = array(string({ unit: 'grapheme', maxLength: 40 }), { maxLength: 40 }).map((words) => words.join(' '));
  assert(
    property(texts, integer({ min: -10, max: 400 }), (text, maxTokens) => {
      const cut = cutText(text, maxTokens);
      const isSame = tokensOf(text) <= maxTokens;
      t.true(
        text.startsWith(cut) && cut.isWellFormed() && (isSame ? cut === text : tokensOf(cut) <= Math.max(1, maxTokens)),
      );
    }),
  );
});

test('a text is cut at the end of a line, or else of a word', (t) => {
  t.is(cutText(`${'a'.repeat(280)}\nbbb bbb bbb bbb`, 98), `${'a'.repeat(280)}\n`);
  t.is(cutText(`${'a'.repeat(280)} bbbbbbbbbbbbbbbbbbb`, 98), `${'a'.repeat(280)} `);
  t.is(cutText('a'.repeat(1000), 100).length, 298);
});
