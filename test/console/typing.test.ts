import test from 'ava';
import { apiClient } from '#test/support/harness/api-client.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { openConsole } from './open-console.ts';

const { apiKey } = testStack();

/** Types a letter at the moment at which the address gets what was typed so far, before the page is drawn for it. */
const TYPE_MEANWHILE = `{
  const replaceState = history.replaceState.bind(history);
  history.replaceState = (...state) => {
    replaceState(...state);
    if (!location.search.includes('search=annual')) return;
    history.replaceState = replaceState;
    document.execCommand('insertText', false, 's');
  };
}`;

test('what is typed into a search field stays, however the page is drawn meanwhile', async (t) => {
  const api = apiClient(apiKey);
  const { id } = await api.createCollection('console: typing');
  await api.upload(id, [
    ['files', new File(['one'], 'annual report.txt')],
    ['files', new File(['two'], 'minutes.txt')],
  ]);
  await using console = await openConsole({ apiKey, path: `/collections/${id}` });
  const { page, problems } = console;
  const field = page.getByPlaceholder('Filter by name');
  await page.getByRole('link', { name: 'minutes.txt' }).waitFor();
  await field.pressSequentially('annual ');
  await page.getByRole('link', { name: 'minutes.txt' }).waitFor({ state: 'detached' });
  await field.pressSequentially('report');
  t.is(await field.inputValue(), 'annual report');
  await page.waitForURL((url) => url.searchParams.get('search') === 'annual report');
  await page.getByRole('link', { name: 'annual report.txt' }).waitFor();

  await field.fill('nothing');
  await page.getByRole('button', { name: 'Remove the filter' }).click();
  await page.getByRole('link', { name: 'minutes.txt' }).waitFor();
  t.is(await field.inputValue(), '', 'removing the filter empties the field');
  await page.evaluate(TYPE_MEANWHILE);
  await field.pressSequentially('annual');
  await page.waitForURL((url) => url.searchParams.has('search'));
  await page.keyboard.press('x');
  t.is(await field.inputValue(), 'annualsx');
  await page.waitForURL((url) => url.searchParams.get('search') === 'annualsx');
  t.is(await field.inputValue(), 'annualsx');
  t.deepEqual(problems, []);
});
