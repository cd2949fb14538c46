import test from 'ava';
import { apiClient } from '#test/support/harness/api-client.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { axeViolations, openConsole } from './open-console.ts';

const { apiKey } = testStack();
const FAILURE = { status: 500, json: { detail: 'The database is away.', code: 'internal_error', request_id: 'r-1' } };

test('a receipt that could not be read is read again, on request and by itself, until the deletion is completed', async (t) => {
  const api = apiClient(apiKey);
  const { id } = await api.createCollection('console: receipts');
  await api.upload(id, [['files', new File(['a'], 'herring.txt')]]);
  await using console = await openConsole({ apiKey, path: `/collections/${id}` });
  const { page } = console;
  let read = 0;
  const released = Promise.withResolvers<void>();
  await page.route('**/api/v1/deletions/*', async (route) => {
    read += 1;
    if (read === 1 || read === 3) return route.fulfill(FAILURE);
    if (read > 3) await released.promise;
    const answer = await route.fetch();
    const receipt: unknown = await answer.json();
    const shown = read === 2 ? Object.assign(receipt as object, { status: 'running', verified_at: null }) : receipt;
    return route.fulfill({ response: answer, json: shown });
  });
  await page.getByRole('button', { name: 'Actions of herring.txt' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  const notice = dialog.getByRole('alert').filter({ hasText: 'The database is away.' });
  await notice.waitFor();
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await notice.waitFor({ state: 'detached' });
  await dialog.getByText('The rest is being removed').waitFor();
  await notice.waitFor();
  t.true(await dialog.getByText('The rest is being removed').isVisible());
  t.deepEqual(await axeViolations(page), []);
  released.resolve();
  await dialog.getByText('it was verified that nothing is left').waitFor();
  t.is(await notice.count(), 0);
});
