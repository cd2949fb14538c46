import test from 'ava';
import { HOSTILE_TEXTS } from '#test/support/fixtures/hostile-texts.ts';
import { apiClient, createKey } from '#test/support/harness/api-client.ts';
import { axeViolations, openConsole, widthBeyondWindow } from './open-console.ts';
import { testStack } from '#test/support/harness/stack.ts';

const { apiKey, workspaceId } = testStack();
const NARROW = { width: 390, height: 844 };

test('collections are created, found and archived, by keys that permit it', async (t) => {
  await using console = await openConsole({ apiKey, path: '/collections' });
  const { page, problems } = console;
  const name = `console: handbooks ${Date.now()}`;
  await page.getByRole('button', { name: 'New collection' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Description').fill('What people look up');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByPlaceholder('Filter by name').fill(name);
  const row = page.getByRole('row', { name });
  await row.waitFor();
  t.regex(await row.innerText(), /What people look up[\s\S]*0[\s\S]*dimensions/);
  t.deepEqual(await axeViolations(page), []);
  await page.getByRole('button', { name: `Actions of ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Archive' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
  await page.getByText('No collection matches').waitFor();
  await page.getByText('Archived', { exact: true }).click();
  await row.getByText('Archived').waitFor();
  await page.getByRole('button', { name: `Actions of ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Make active again' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Make active again' }).click();
  await page.getByText('No collection matches').waitFor();
  t.deepEqual(problems, []);

  const reader = await createKey({ workspaceId, permissions: ['collections:read'] });
  await using readers = await openConsole({ apiKey: reader.key, path: '/collections' });
  await readers.page.getByRole('table').waitFor();
  t.is(await readers.page.getByRole('button', { name: /New collection|Actions of/ }).count(), 0);
});

test('a collection is renamed, and deleted when its name was typed as it is seen', async (t) => {
  const api = apiClient(apiKey);
  const [name, typed] = [`console: café  ${Date.now()}`, `console: cafe\u0301 ${Date.now()}`];
  const { id } = await api.createCollection(name);
  const form = new FormData();
  form.append('collection_id', id);
  form.append('content', 'Puffins nest in burrows.');
  t.is((await api.send('/upload', { method: 'POST', body: form, headers: { Prefer: 'wait=30' } })).status, 202);
  await using console = await openConsole({ apiKey, path: `/collections?search=${encodeURIComponent(name)}` });
  const { page, problems } = console;
  const dialog = page.getByRole('dialog');
  const choose = async (item: string) => {
    await page.getByRole('button', { name: /^Actions of/ }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await choose('Edit');
  t.is(await dialog.getByLabel('Name').inputValue(), name);
  await dialog.getByLabel('Description').fill('Birds of the coast');
  t.deepEqual(await axeViolations(page), []);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Birds of the coast').waitFor();

  await choose('Delete');
  await dialog.getByText('has 1 content').waitFor();
  const submit = dialog.getByRole('button', { name: 'Delete' });
  t.true(await submit.isDisabled());
  await dialog.getByLabel(/^Type .* to confirm$/).fill(typed);
  t.deepEqual(await axeViolations(page), []);
  await submit.click();
  await dialog.getByText('it was verified that nothing is left').waitFor();
  t.is((await api.send(`/collections/${id}`)).status, 404);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await page.getByText('No collection matches').waitFor();
  t.deepEqual(problems, []);
});

test('hostile names and descriptions are shown as text, in light and dark, and nothing scrolls sideways at 390 px', async (t) => {
  const api = apiClient(apiKey);
  const marker = `hostile ${Date.now()}`;
  for (const text of HOSTILE_TEXTS) {
    const json = { name: `${marker} ${text}`.slice(0, 100), description: text.slice(0, 255) };
    t.is((await api.send('/collections', { method: 'POST', json })).status, 201, text);
  }
  await using console = await openConsole({
    apiKey,
    path: `/collections?search=${encodeURIComponent(marker)}`,
    browser: { viewport: NARROW, colorScheme: 'dark' },
  });
  const { page, problems } = console;
  await page.getByText(`${marker} ${HOSTILE_TEXTS[0]}`).waitFor();
  t.is(await page.getByRole('row').count(), HOSTILE_TEXTS.length + 1);
  t.is(await widthBeyondWindow(page), 0);
  t.deepEqual(await axeViolations(page), []);
  t.deepEqual(problems, []);
});
