import test from 'ava';
import { Conversation } from '#domain/records/conversation.ts';
import { HOSTILE_TEXTS } from '#test/support/fixtures/hostile-texts.ts';
import { type ApiClient, apiClient, createKey } from '#test/support/harness/api-client.ts';
import { axeViolations, openConsole, widthBeyondWindow } from './open-console.ts';
import { testStack } from '#test/support/harness/stack.ts';

const { apiKey, workspaceId } = testStack();
const NARROW = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' as const };

const begin = (api: ApiClient, json: object) => api.post('/conversations', Conversation, { json, status: 201 });
const say = async (api: ApiClient, conversation_id: string, content: unknown) =>
  api.send('/messages', { method: 'POST', json: { conversation_id, content } });

test('a conversation is started, written in, renamed, ended and deleted', async (t) => {
  const user = `console-${Date.now()}`;
  await using console = await openConsole({ apiKey, path: `/conversations?user=${user}` });
  const { page, problems } = console;
  await page.getByText('No conversation matches').waitFor();
  const dialog = page.getByRole('dialog');
  const choose = async (title: string, action: string) => {
    await page.getByRole('button', { name: `Actions of the conversation “${title}”` }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  await page.getByRole('button', { name: 'New conversation' }).click();
  await dialog.getByRole('textbox', { name: 'Title' }).fill('Ferries');
  await dialog.getByRole('button', { name: 'Start' }).click();
  await page.getByRole('heading', { name: 'Ferries', level: 1 }).waitFor();
  await page.getByText('Nothing has been said yet').waitFor();
  const thread = page.url();
  await page.getByRole('textbox', { name: 'Message' }).fill('When does it leave?\nAt noon?');
  await page.keyboard.press('Control+Enter');
  const message = page.getByRole('listitem').filter({ hasText: 'When does it leave?' });
  await message.getByText(user).waitFor();
  t.is(await page.getByRole('textbox', { name: 'Message' }).inputValue(), '');
  t.deepEqual(await axeViolations(page), []);
  await choose('Ferries', 'Rename');
  await dialog.getByRole('textbox', { name: 'Title' }).fill('Ferries to Ulva');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await choose('Ferries to Ulva', 'End');
  await dialog.getByRole('button', { name: 'End' }).click();
  await page.getByText('This conversation has ended and takes no more messages.').waitFor();
  await choose('Ferries to Ulva', 'Delete');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'Conversations' }).waitFor();
  t.is(await page.getByRole('link', { name: 'Ferries to Ulva' }).count(), 0);
  await page.goto(thread);
  const notice = page
    .getByRole('alert')
    .filter({ hasText: 'The conversation does not exist, or you may not read it.' });
  t.regex(await notice.innerText(), /not_found[\s\S]*Request/);
  t.deepEqual(problems, []);
});

test('a long thread opens at its end, and older messages are shown without losing the place', async (t) => {
  const api = apiClient(apiKey);
  const { id } = await begin(api, { title: 'a long thread' });
  const numbers = Array.from({ length: 620 }, (_, index) => `message ${index + 1} of many`);
  t.is((await say(api, id, numbers)).status, 201);
  await using console = await openConsole({ apiKey, path: `/conversations/${id}` });
  const { page, problems } = console;
  const shown = page.getByRole('listitem').filter({ hasText: 'of many' });
  const one = (number: number) => page.getByText(numbers[number - 1] ?? '', { exact: true });
  await one(620).waitFor();
  t.is(await shown.count(), 50);
  t.true(await one(620).isVisible());
  t.true((await page.evaluate<number>('scrollY')) > 0);
  const older = page.getByRole('button', { name: 'Show older messages' });
  await older.scrollIntoViewIfNeeded();
  const before = (await one(571).boundingBox())?.y ?? 0;
  await older.focus();
  await page.keyboard.press('Enter');
  await one(521).waitFor();
  const after = (await one(571).boundingBox())?.y ?? 0;
  t.true(Math.abs(after - before) < 60, `moved by ${after - before} pixels`);
  // The button keeps the focus while it loads.
  for (const first of [471, 421, 371, 321, 271, 221, 171, 121, 71, 21, 1]) {
    await page.keyboard.press('Enter');
    await one(first).waitFor();
  }
  t.is(await shown.count(), 470, 'the newest are left out');
  t.is(
    await page.evaluate<string>('document.activeElement.innerText.split("\\n").at(-1)'),
    numbers[20] ?? '',
    'the focus',
  );
  await page.getByRole('button', { name: 'To the newest messages' }).click();
  await one(620).waitFor();
  t.is(await shown.count(), 50);
  t.deepEqual(problems, []);
});

test('a key that may only read is offered nothing else, and hostile texts are shown as text at 390 px', async (t) => {
  const api = apiClient(apiKey);
  const hostile = { content: '', role: 'user', tags: [], meta_data: {} };
  const user = `hostile-${Date.now()}`;
  const { id } = await begin(api, { title: HOSTILE_TEXTS[1], owner_id: user });
  const content = HOSTILE_TEXTS.map((text) => {
    const name = text.slice(0, 100);
    return {
      ...hostile,
      content: text,
      role: name,
      sender_id: name,
      message_type: name,
      tags: [name],
      tool_calls: [{ [name]: text }],
    };
  });
  t.is((await say(api, id, content)).status, 201);
  for (const title of HOSTILE_TEXTS.slice(2)) await begin(api, { title, owner_id: user });
  const { key } = await createKey({ workspaceId, permissions: ['conversations:read', 'messages:read'] });
  await using console = await openConsole({ apiKey: key, path: `/conversations?user=${user}`, browser: NARROW });
  const { page, problems } = console;
  await page.getByRole('link', { name: HOSTILE_TEXTS[1] ?? '' }).waitFor();
  t.is(await page.getByRole('row').count(), HOSTILE_TEXTS.length);
  t.is(await widthBeyondWindow(page), 0);
  t.deepEqual(await axeViolations(page), []);
  t.is(await page.getByRole('button', { name: /New conversation|Actions of/ }).count(), 0);
  await page.getByRole('link', { name: HOSTILE_TEXTS[1] ?? '' }).click();
  const messages = page.getByRole('listitem').filter({ hasText: '1 tool call' });
  await messages.first().waitFor();
  t.is(await messages.count(), HOSTILE_TEXTS.length);
  await messages.first().getByText('1 tool call').click();
  await messages.first().locator('pre').getByText('alert(1)').waitFor();
  t.is(await widthBeyondWindow(page), 0);
  t.deepEqual(await axeViolations(page), []);
  t.is(await page.getByRole('textbox').count(), 0);
  t.is(await page.getByRole('button', { name: /Actions of/ }).count(), 0);
  t.is(await page.getByRole('link', { name: 'Ask in this conversation' }).count(), 0);
  t.deepEqual(problems, []);
});

test('a key that may send messages starts a conversation with the first one, and a long list is shown page by page', async (t) => {
  const user = `many-${Date.now()}`;
  const api = apiClient(apiKey);
  await Promise.all(Array.from({ length: 51 }, async (_, index) => begin(api, { title: `${index}`, owner_id: user })));
  const { key } = await createKey({
    workspaceId,
    permissions: ['conversations:read', 'messages:read', 'messages:write'],
  });
  await using console = await openConsole({ apiKey: key, path: `/conversations?user=${user}` });
  const { page, problems } = console;
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByRole('link', { name: '0', exact: true }).waitFor();
  t.is(await page.getByRole('row').count(), 52);
  await page.getByRole('button', { name: 'New conversation' }).click();
  await page.getByRole('textbox', { name: 'First message' }).fill('Is there a ferry?\nToday?');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByRole('heading', { name: 'Is there a ferry?', level: 1 }).waitFor();
  await page.getByRole('listitem').filter({ hasText: 'Today?' }).waitFor();
  t.is(await page.getByRole('button', { name: /^Actions of/ }).count(), 0);
  t.deepEqual(problems, []);
});
