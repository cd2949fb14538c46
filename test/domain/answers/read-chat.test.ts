import test from 'ava';
import { answerPrompt } from '#domain/answers/answer-prompt.ts';
import { readChat } from '#domain/answers/read-chat.ts';
import { estimateTokens } from '#domain/chunking/estimate-tokens.ts';

const text = (content: string) => ({ type: 'text', text: content });

test('the last message of a user is the question, system messages the style, and the rest the history', (t) => {
  t.deepEqual(
    readChat([
      { role: 'system', content: 'Answer in rhymes.' },
      { role: 'user', content: 'Where is the harbour?' },
      { role: 'assistant', content: 'On Mull [1].' },
      { role: 'user', content: [text('When does it'), text('open?')] },
      { role: 'assistant', content: null },
    ]),
    {
      query: 'When does it\nopen?',
      unreadPart: null,
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
  t.is(both[1]?.content, 'On Mull.');
  const rest = both[0]?.content.length ?? 0;
  t.true(rest > 11_900 && rest < 12_000, `${rest} characters`);
});

test('a chat in Chinese leaves as much of the context to the passages as one in English', (t) => {
  for (const spoken of ['船'.repeat(20_000), 'The ferry leaves. '.repeat(5_000)]) {
    const long = Array.from({ length: 20 }, () => ({ role: 'user', content: spoken }));
    const { query, style, history } = readChat([
      { role: 'system', content: spoken },
      ...long,
      { role: 'user', content: 'When?' },
    ]);
    const asked = { query: query ?? '', style, history, passages: [], contexts: new Map<string, string>() };
    const { instructions, material } = answerPrompt(asked);
    const tokens = estimateTokens(instructions) + estimateTokens(material);
    t.true(tokens > 7_900 && tokens < 8_500, `${tokens} tokens`);
  }
});

test('of earlier messages the text is read, and of calls of tools nothing', (t) => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } };
  const read = readChat([
    { role: 'user', content: [text('What is on this picture?'), image] },
    { role: 'assistant' },
    { role: 'assistant', content: 'A harbour.' },
    { role: 'user', content: 'When does it open?' },
  ]);
  t.is(read.query, 'When does it open?');
  t.is(read.unreadPart, null);
  t.deepEqual(read.history, [
    { role: 'user', content: 'What is on this picture?' },
    { role: 'assistant', content: 'A harbour.' },
  ]);
  for (const content of [[image], [text('And on this one?'), image]]) {
    const asked = readChat([
      { role: 'user', content: 'When does it open?' },
      { role: 'user', content },
    ]);
    t.is(asked.unreadPart, 'image_url', 'an earlier question is not answered in its place');
  }
});
