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

test('the year of the time that memories are shown of is typed by keyboard', async (t) => {
  const path = '/memories?user=nobody&asOf=2025-06-15T10:00:00.000Z';
  await using console = await openConsole({ apiKey, path, browser: { timezoneId: 'Europe/Berlin', locale: 'en-US' } });
  const { page, problems } = console;
  const field = page.getByLabel('As they were at');
  const asOf = () => new URL(page.url()).searchParams.get('asOf');
  const years = new Set<string | undefined>();
  page.on('framenavigated', () => void years.add(asOf()?.slice(0, 4)));
  await page.getByText('No memory matches').waitFor();
  t.is(await field.inputValue(), '2025-06-15T12:00');
  // Month, day, year.
  await field.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.type('2023');
  await page.waitForURL((url) => url.searchParams.get('asOf') === '2023-06-15T10:00:00.000Z');
  t.is(await field.inputValue(), '2023-06-15T12:00');
  // With its fourth digit, the next part has the focus.
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Backspace');
  t.is(await field.inputValue(), '');
  t.is(asOf(), '2023-06-15T10:00:00.000Z', 'a time without a year is not complete');
  await page.keyboard.type('2024');
  await page.waitForURL((url) => url.searchParams.get('asOf') === '2024-06-15T10:00:00.000Z');
  t.deepEqual(
    [...years].filter((year) => !['2025', '2023', '2024'].includes(year ?? '')),
    [],
  );
  await page.getByRole('button', { name: 'Back to now' }).click();
  await page.waitForURL((url) => !url.searchParams.has('asOf'));
  t.is(await field.inputValue(), '');
  t.deepEqual(problems, []);
});

test('a link with a text that looks like a number leads to just that text', async (t) => {
  await using console = await openConsole({ apiKey, path: '/memories?user=1234567890123456789&search=007' });
  const { page, problems } = console;
  const user = page.getByLabel('User');
  await user.waitFor();
  t.is(await user.inputValue(), '1234567890123456789');
  t.is(await page.getByLabel('Search by meaning or words').inputValue(), '007');
  await page.goto(`${new URL(page.url()).origin}/console/collections?search=2024`);
  await page.getByText('No collection matches').waitFor();
  t.deepEqual(problems, []);
});
