import test from 'ava';
import { apiClient, createKey } from '#test/support/harness/api-client.ts';
import { axeViolations, openConsole, widthBeyondWindow } from './open-console.ts';
import { testStack } from '#test/support/harness/stack.ts';

const { apiKey, workspaceId } = testStack();
const NARROW = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' as const };

test('a key is created with what is chosen, shown once, given a new secret and revoked', async (t) => {
  await using console = await openConsole({ apiKey, path: '/keys' });
  const { page, problems } = console;
  const label = `console: search page ${Date.now()}`;
  await page.getByRole('button', { name: 'New key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Label').fill(label);
  await dialog.getByLabel('What I choose').check();
  const create = dialog.getByRole('button', { name: 'Create key' });
  t.true(await create.isDisabled());
  const hint = dialog.getByText('Choose at least one permission.');
  await hint.waitFor();
  t.is(await create.getAttribute('aria-describedby'), await hint.getAttribute('id'));
  t.deepEqual(await axeViolations(page), []);
  await dialog.getByLabel('Search, ask and see collections').check();
  await hint.waitFor({ state: 'detached' });
  await dialog.getByLabel('Only from these addresses').fill('nonsense');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByText("'nonsense' is not an IP address").waitFor();
  await dialog.getByLabel('Only from these addresses').press('Backspace');
  const release = Promise.withResolvers<void>();
  await page.route('**/api/v1/api-keys', async (route) => {
    await release.promise;
    await route.continue();
  });
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await page.keyboard.press('Escape');
  t.true(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled(), 'nobody would see the key');
  release.resolve();
  const first = await dialog.getByLabel('API key', { exact: true }).inputValue();
  await page.keyboard.press('Escape');
  t.is(await dialog.getByLabel('API key', { exact: true }).inputValue(), first);
  const mayWith = async (secret: string) => {
    const answer = await apiClient(secret).send('/me');
    return answer.status === 200 ? ((await answer.json()) as { permissions: string[] }).permissions : answer.status;
  };
  t.deepEqual(await mayWith(first), ['collections:read']);
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await dialog.waitFor({ state: 'detached' });
  t.deepEqual(await axeViolations(page), []);
  t.false((await page.content()).includes(first));

  const choose = async (action: string) => {
    await page.getByRole('button', { name: `Actions of ${label}` }).click();
    await page.getByRole('menuitem', { name: action }).click();
    await dialog.getByRole('button', { name: action }).click();
  };
  await choose('New secret');
  await dialog.getByLabel('API key', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  const second = await dialog.getByLabel('API key', { exact: true }).inputValue();
  t.deepEqual([await mayWith(first), await mayWith(second)], [401, ['collections:read']]);
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await dialog.waitFor({ state: 'detached' });
  await choose('Revoke');
  await dialog.waitFor({ state: 'detached' });
  t.is(await mayWith(second), 401);
  t.deepEqual(problems, []);
});

test('a key that may only create keys is offered neither revoking nor what it may not do itself', async (t) => {
  const { key } = await createKey({ workspaceId, permissions: ['api-keys:read', 'api-keys:write', 'memories:read'] });
  await using console = await openConsole({ apiKey: key, path: '/keys', browser: NARROW });
  const { page, problems } = console;
  await page.getByRole('table').waitFor();
  t.is(await widthBeyondWindow(page), 0);
  await page
    .getByRole('button', { name: /^Actions of/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Change' }).waitFor();
  t.is(await page.getByRole('menuitem', { name: 'Revoke' }).count(), 0);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('What I choose').check();
  t.is(await page.getByRole('checkbox').count(), 3);
  t.is(await page.getByLabel('Everything', { exact: true }).count(), 0);
  t.deepEqual(problems, []);
});
