import test from 'ava';
import { CreateMessagesRequest } from '#domain/records/message.ts';

const repeated = <One>(count: number, one: One): One[] => Array.from({ length: count }, () => one);

test('the messages of all groups are counted before any of them is validated', (t) => {
  // Each would otherwise have problems of its own.
  const wrong = { colour: 'red' };
  for (const [body, isRefused] of [
    [{ content: repeated(1_001, wrong) }, true],
    [repeated(1_001, wrong), true],
    [repeated(500, { content: repeated(3, wrong) }), true],
    [[...repeated(999, wrong), { content: [wrong, wrong] }], true],
    [[...repeated(999, wrong), { content: [wrong] }], false],
    [{ content: repeated(1_000, wrong) }, false],
  ] as const) {
    const { error } = CreateMessagesRequest.safeParse(body);
    const isOne = error?.issues.length === 1 && error.issues[0]?.code === 'custom';
    t.is(isOne, isRefused, JSON.stringify(error?.issues.map(({ code }) => code)));
  }
});

test('a thousand messages of one or many groups are accepted', (t) => {
  t.true(CreateMessagesRequest.safeParse({ content: repeated(1_000, 'x') }).success);
  t.true(CreateMessagesRequest.safeParse(repeated(1_000, { content: 'x' })).success);
  t.true(CreateMessagesRequest.safeParse(repeated(2, { content: repeated(500, 'x') })).success);
});
