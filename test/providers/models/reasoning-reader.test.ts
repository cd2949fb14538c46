import test from 'ava';
import { ReasoningReader, withoutReasoning } from '#providers/models/reasoning-reader.ts';

/** What a model writes, and its answer. */
const ANSWERS = [
  ['<think>[1] draft</think>Answer [1]', 'Answer [1]'],
  ['\n <think>\nOne.\n</think>\n\nTwo.', 'Two.'],
  ['<think></think><think>again</think> Two.', 'Two.'],
  ['<think>it never ends', ''],
  ['</think>\n\nTwo.', 'Two.'],
  ['One, as I think.\n</think>\n\nTwo.', 'Two.'],
  ['One.\n </think> ', ''],
  ['<thi', '<thi'],
  ['<thinking about it>', '<thinking about it>'],
  [
    'The tag `</think>` ends it,\nand </think> is text\n</thin',
    'The tag `</think>` ends it,\nand </think> is text\n</thin',
  ],
  ['One.\n\n', 'One.\n\n'],
  // Lines that the answer quotes.
  ...[
    'Qwen writes:\n\n```\nreasoning\n</think>\nanswer\n```\n\nThat is all.',
    'Qwen writes:\n\n1. like this:\n   ~~~~text\n~~~\n</think>\n',
    'What stands between `<think>` and\n</think>\nis reasoning.',
    'Between\n<think>\nand\n</think>\n</think>\nis reasoning.',
  ].map((text) => [text, text] as const),
  ['One `</think>`:\n```\nx\n```\n</think>\n```\n</think>\n```', '```\n</think>\n```'],
  ['', ''],
] as const;

test('leaves out the reasoning at the beginning of an answer', (t) => {
  for (const [written, answer] of ANSWERS) t.is(withoutReasoning(written), answer, written);
});

test('leaves it out however the answer is cut into pieces, and says where what it returned was reasoning', (t) => {
  for (const [written, answer] of ANSWERS) {
    const reader = new ReasoningReader();
    let [text, restarts] = ['', 0];
    for (const piece of [...Array.from(written, (one) => () => reader.read(one)), () => reader.end()]) {
      const read = piece();
      restarts += Number(read.restarts);
      text = read.restarts ? read.text : text + read.text;
    }
    t.is(text, answer, written);
    t.is(restarts, written.startsWith('One') && written.includes('think') ? 1 : 0, written);
  }
});
