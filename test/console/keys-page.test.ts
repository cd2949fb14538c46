import test from 'ava';
import { ApiKey, ApiKeyList } from '#domain/records/api-key.ts';
import { CurrentCaller } from '#domain/records/access/current-caller.ts';
import { createSignInCode } from '#operations/access/sign-in.ts';
import { createPostgres } from '#store/postgres.ts';
import { createStores } from '#store/stores.ts';
import { apiClient, createKey, freshClient } from '#test/support/harness/api-client.ts';
import { axeViolations, openConsole, widthBeyondWindow } from './open-console.ts';
import { testStack } from '#test/support/harness/stack.ts';

const { apiKey, workspaceId, databaseUrl } = testStack();
const DAY_MS = 86_400_000;
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
  const cancel = dialog.getByRole('button', { name: 'Cancel', disabled: true });
  await cancel.waitFor();
  await page.keyboard.press('Escape');
  t.is(await cancel.count(), 1, 'nobody would see the key');
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

test('who came by a sign-in link creates a key that lasts, and gives a lasting one a new secret', async (t) => {
  const owner = await freshClient();
  const database = createPostgres({ url: databaseUrl, poolSize: 1, applicationName: 'loci-test' });
  t.teardown(() => database.destroy());
  const code = await createSignInCode(createStores(database), owner.key.split('_')[1] ?? '');
  await using console = await openConsole({ path: `/keys#code=${code}` });
  const { page, problems } = console;
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'New key' }).click();
  await dialog.getByLabel('Label').fill('nightly');
  t.deepEqual(await dialog.getByLabel('Expires').locator('option').allInnerTexts(), [
    'Never',
    'In 7 days',
    'In 30 days',
    'In 90 days',
    'In a year',
    'At a time',
  ]);
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const secret = await dialog.getByLabel('API key', { exact: true }).inputValue();
  const { api_key: made } = await apiClient(secret).get('/me', CurrentCaller);
  const lifetimeMs = new Date(made?.expires_at ?? 0).getTime() - Date.now();
  t.is(Math.round(lifetimeMs / DAY_MS), 90);
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Actions of nightly' }).click();
  await page.getByRole('menuitem', { name: 'New secret' }).click();
  await dialog.getByRole('button', { name: 'New secret' }).click();
  const renewed = await dialog.getByLabel('API key', { exact: true }).inputValue();
  t.deepEqual(
    [(await apiClient(secret).send('/me')).status, (await apiClient(renewed).send('/me')).status],
    [401, 200],
  );
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await dialog.waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Actions of console' }).click();
  await page.getByRole('menuitem', { name: 'Change' }).click();
  t.deepEqual(await dialog.getByLabel('Expires').locator('option').allInnerTexts(), ['At a time'], 'its own key');
  await dialog.getByText('Left empty, the key is valid from everywhere').waitFor();
  await dialog.getByLabel('Label').fill('my browser');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Actions of my browser' }).waitFor();
  t.deepEqual(problems, []);
});

test('a limited key offers the lifetimes that it may give, gives its own limits where fields are left empty, and changes no other', async (t) => {
  const owner = await freshClient();
  const { id } = await owner.createCollection('console: limited');
  const in40Days = new Date(Date.now() + 40 * DAY_MS).toISOString();
  const reach = { collections: [id], ip_whitelist: ['127.0.0.0/8'], expires_at: in40Days };
  const make = async (json: object) =>
    owner.post('/api-keys', ApiKey, { json: { permissions: ['*'], ...json }, status: 201 });
  const limited = await make(reach);
  await using console = await openConsole({ apiKey: limited.secret ?? '', path: '/keys' });
  const { page, problems } = console;
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'New key' }).click();
  await dialog.getByLabel('Label').fill('child');
  const offered = dialog.getByLabel('Expires');
  t.deepEqual(await offered.locator('option').allInnerTexts(), ['In 7 days', 'In 30 days', 'At a time']);
  await offered.selectOption('In 30 days');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  const { data } = await owner.get('/api-keys', ApiKeyList);
  t.like(
    data.find(({ label }) => label === 'child'),
    { collections: reach.collections, ip_whitelist: reach.ip_whitelist },
  );

  const expiring = await make({ expires_at: in40Days });
  await make({ label: 'lasting' });
  await using other = await openConsole({ apiKey: expiring.secret ?? '', path: '/keys' });
  await other.page.getByRole('button', { name: 'Actions of lasting' }).click();
  t.deepEqual(await other.page.getByRole('menuitem').allInnerTexts(), ['Revoke']);
  t.deepEqual([...problems, ...other.problems], []);
});
