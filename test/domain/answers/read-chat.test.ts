import test from 'ava';
import { readChat } from '#domain/answers/read-chat.ts';

test('the last message of a user is the question, system messages the style, and the rest the history', (t) => {
  t.deepEqual(
    readChat([
      { role: 'system', content: 'Answer in rhymes.' },
      { role: 'user', content: 'Where is the harbour?' },
      { role: 'assistant', content: 'On Mull [1].' },
      { role: 'user', content: [{ text: 'When does it' }, { text: 'open?' }] },
      { role: 'assistant', content: null },
    ]),
    {
      query: 'When does it\nopen?',
      style: 'Answer in rhymes.',
      history: [
        { role: 'user', content: 'Where is the harbour?' },
        { role: 'assistant', content: 'On Mull [1].' },
      ],
    },
  );
});

test('without a message of a user there is no question', (t) => {
  t.is(readChat([{ role: 'assistant', content: 'Hello' }]).query, null);
  t.is(readChat([{ role: 'user', content: '  ' }]).query, null);
});

test('of a long conversation the last messages count', (t) => {
  const messages = Array.from({ length: 100 }, (_, at) => ({
    role: 'user',
    content: `Message ${at} ${'x'.repeat(1_500)}`,
  }));
  const { history } = readChat(messages);
  t.true(history.length > 3 && history.length < 13);
  t.true(history.at(-1)?.content.startsWith('Message 98'));
});

test('a message that is longer than the history may be is cut, as in conversations that are stored', (t) => {
  const { history } = readChat([
    { role: 'user', content: 'Where is the harbour?' },
    { role: 'assistant', content: 'x'.repeat(12_500) },
    { role: 'user', content: 'And when does it open?' },
  ]);
  t.deepEqual(history, [{ role: 'assistant', content: 'x'.repeat(12_000) }]);
  const { history: both } = readChat([
    { role: 'user', content: 'x'.repeat(30_000) },
    { role: 'assistant', content: 'On Mull.' },
    { role: 'user', content: 'And when does it open?' },
  ]);
  t.deepEqual(
    both.map(({ content }) => content.length),
    [12_000, 8],
  );
});
