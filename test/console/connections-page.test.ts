import test from 'ava';
import type { Page } from 'playwright-core';
import { Connection } from '#domain/records/connection.ts';
import { HOSTILE_TEXTS } from '#test/support/fixtures/hostile-texts.ts';
import { createKey, freshClient } from '#test/support/harness/api-client.ts';
import { startTokenServer, type TokenBehaviour } from '#test/support/servers/token-server.ts';
import { axeViolations, openConsole, widthBeyondWindow } from './open-console.ts';

const NARROW = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' as const };

/** A provider whose users always agree. It refuses the first refresh token, as after the user took the access back. */
function agreeingProvider(): TokenBehaviour {
  let tokens = 0;
  return ({ path, parameters }) => {
    const asked = new URL(path, 'http://provider').searchParams;
    if (asked.has('redirect_uri')) {
      const back = new URL(asked.get('redirect_uri') ?? '');
      back.search = new URLSearchParams({ code: 'a-code', state: asked.get('state') ?? '' }).toString();
      return { status: 302, headers: { location: back.href }, body: '' };
    }
    if (parameters['refresh_token'] === 'canary-refresh-1') return { status: 400, body: { error: 'invalid_grant' } };
    tokens += 1;
    return { body: { access_token: `canary-${tokens}`, refresh_token: `canary-refresh-${tokens}`, expires_in: 3600 } };
  };
}

/** Opens the page of the provider from the dialog, as a user does, and waits until the console has noticed. */
async function agree(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog');
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    dialog.getByRole('link', { name: 'Open the page of crm' }).click(),
  ]);
  await tab.getByRole('heading', { name: 'Connected' }).waitFor();
  await tab.close();
  await dialog.getByText('Connected. The tokens are stored.').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await dialog.waitFor({ state: 'detached' });
}

test('an account is connected with an OAuth client, refreshed, connected again after it was taken back, and disconnected', async (t) => {
  const provider = await startTokenServer(agreeingProvider());
  t.teardown(() => provider.close());
  const { key } = await createKey();
  await using console = await openConsole({ apiKey: key, path: '/connections' });
  const { page, problems } = console;
  const dialog = page.getByRole('dialog');
  const choose = async (of: string, action: string) => {
    await page.getByRole('button', { name: `Actions of ${of}` }).click();
    await page.getByRole('menuitem', { name: action, exact: true }).click();
  };
  await page.getByText('Nothing is connected yet').waitFor();
  await page.getByRole('button', { name: 'Connect' }).first().click();
  await dialog.getByLabel('Provider').fill('crm');
  await dialog.getByLabel('Label').fill('Sales');
  await dialog.getByLabel('User').fill('ada');
  t.deepEqual(await axeViolations(page), []);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByRole('alert').getByText('client').first().waitFor();
  await dialog.getByRole('link', { name: 'To the OAuth clients' }).click();

  await page.getByRole('button', { name: 'Add client' }).first().click();
  await dialog.getByLabel('Provider').fill('crm');
  await dialog.getByLabel('Client id').fill('loci');
  await dialog.getByLabel('Client secret').first().fill('canary-secret');
  await dialog.getByLabel('Authorization endpoint').fill(provider.authorizationEndpoint);
  await dialog.getByLabel('Token endpoint').fill(provider.tokenEndpoint);
  t.deepEqual(await axeViolations(page), []);
  await dialog.getByRole('button', { name: 'Add client' }).click();
  await dialog.waitFor({ state: 'detached' });
  t.regex(await page.getByRole('row', { name: /crm/ }).innerText(), /loci[\s\S]*Stored/);
  await choose('crm', 'Change or replace the secret');
  await dialog.getByLabel('Client secret').first().fill('canary-replaced');
  await dialog.getByRole('button', { name: 'Replace' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Connections' }).last().click();

  const row = page.getByRole('row', { name: /Sales/ });
  await row.getByText('Not connected').last().waitFor();
  await choose('Sales', 'Connect');
  await agree(page);
  await row.getByText('The access token expires on').last().waitFor();
  const { parameters, headers } = provider.requests.at(-1) ?? t.fail();
  t.is(parameters['code'], 'a-code');
  t.is(headers.authorization, `Basic ${Buffer.from('loci:canary-replaced').toString('base64')}`);
  await choose('Sales', 'Refresh now');
  await dialog.getByText('The provider refused to refresh the tokens (invalid_grant)').waitFor();
  await page.keyboard.press('Escape');
  await row.getByText('The user must authorize the connection again').last().waitFor();
  t.regex(await row.innerText(), /ada[\s\S]*Expired/);
  t.deepEqual(await axeViolations(page), []);
  await choose('Sales', 'Connect again');
  await agree(page);
  await choose('Sales', 'Refresh now');
  await row.getByText('Refreshed just now').last().waitFor();
  t.regex(await row.innerText(), /Active/);
  t.notRegex(await page.content(), /canary/, 'no secret is shown');

  await choose('Sales', 'Disconnect');
  await dialog.getByRole('button', { name: 'Disconnect' }).click();
  await page.getByText('Nothing is connected yet').waitFor();
  await page.getByRole('link', { name: 'OAuth clients' }).click();
  await choose('crm', 'Delete');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No OAuth client yet').waitFor();
  t.deepEqual(problems, []);
});

test('hostile connections and clients are shown as text at 390 px, and a key that only reads is offered nothing else', async (t) => {
  const api = await freshClient();
  for (const [number, text] of HOSTILE_TEXTS.entries()) {
    const json = { integration: text, integration_type: 'custom', label: text, user_id: text };
    await api.post('/connections', Connection, { json, status: 201 });
    const client = { client_id: text, token_endpoint: `https://example.com/${number}?${encodeURIComponent(text)}` };
    const name = encodeURIComponent(text.replaceAll(/[/\\?#]/g, ' '));
    t.is((await api.send(`/oauth/clients/${name}`, { method: 'PUT', json: client })).status, 200, text);
  }
  const permissions = ['connections:read', 'workspaces:read'];
  const reader = await createKey({ workspaceId: api.workspaceId, permissions });
  await using console = await openConsole({ apiKey: reader.key, path: '/connections', browser: NARROW });
  const { page, problems } = console;
  const isShown = async (text: string) => {
    await page.getByText(text, { exact: true }).first().waitFor();
    t.is(await page.getByRole('row').count(), HOSTILE_TEXTS.length + 1);
    t.is(await page.getByRole('button', { name: /^Connect|Add client|Actions of/ }).count(), 0);
    t.is(await widthBeyondWindow(page), 0);
    t.deepEqual(await axeViolations(page), []);
  };
  await isShown(HOSTILE_TEXTS[0] ?? '');
  await page.getByRole('link', { name: 'OAuth clients' }).click();
  await page.getByRole('heading', { name: 'OAuth clients' }).waitFor();
  await isShown(HOSTILE_TEXTS[0] ?? '');
  t.deepEqual(problems, []);
});
