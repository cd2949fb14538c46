import test from 'ava';
import { HOSTILE_TEXTS } from '#test/support/fixtures/hostile-texts.ts';
import { apiClient } from '#test/support/harness/api-client.ts';
import { axeViolations, openConsole, widthBeyondWindow } from './open-console.ts';
import { testStack } from '#test/support/harness/stack.ts';

const { apiKey } = testStack();
const NARROW = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' as const };

test('a memory is added, changed, brought back from its history and deleted', async (t) => {
  const user = `console-${Date.now()}`;
  await using console = await openConsole({ apiKey, path: `/memories?user=${user}` });
  const { page, problems } = console;
  await page.getByText('No memory matches').waitFor();
  const dialog = page.getByRole('dialog');
  const choose = async (text: string, action: string) => {
    await page.getByRole('button', { name: `Actions of the memory “${text}”` }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  await page.getByRole('button', { name: 'Add memory' }).click();
  await dialog.getByRole('textbox', { name: 'Memory' }).fill('Prefers tea.');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog.waitFor({ state: 'detached' });
  await choose('Prefers tea.', 'Change');
  await dialog.getByRole('textbox', { name: 'Memory' }).fill('Prefers coffee.');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await choose('Prefers coffee.', 'History');
  await dialog.getByRole('button', { name: 'Make it current again' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('cell', { name: 'Prefers tea.', exact: true }).waitFor();
  t.deepEqual(await axeViolations(page), []);
  await choose('Prefers tea.', 'Delete');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No memory matches').waitFor();
  t.deepEqual(problems, []);
});

test('hostile memories are shown as text at 390 px, and those of the past cannot be changed', async (t) => {
  const user = `hostile-${Date.now()}`;
  const api = apiClient(apiKey);
  for (const memory of HOSTILE_TEXTS) {
    const json = { user_id: user, memory, topics: [memory.slice(0, 100)] };
    t.is((await api.send('/memories', { method: 'POST', json })).status, 201, memory);
  }
  const asOf = encodeURIComponent(new Date().toISOString());
  await using console = await openConsole({ apiKey, path: `/memories?user=${user}&asOf=${asOf}`, browser: NARROW });
  const { page, problems } = console;
  await page.getByText('Memories as they were on').waitFor();
  t.is(await page.getByRole('row').count(), HOSTILE_TEXTS.length + 1);
  t.is(await widthBeyondWindow(page), 0);
  t.deepEqual(await axeViolations(page), []);
  await page
    .getByRole('button', { name: /^Actions of the memory/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'History' }).waitFor();
  t.is(await page.getByRole('menuitem').count(), 1);
  t.deepEqual(problems, []);
});
