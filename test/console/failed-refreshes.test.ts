import test from 'ava';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { Conversation } from '#domain/records/conversation.ts';
import { type ApiClient, apiClient, createKey, freshClient } from '#test/support/harness/api-client.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { DOWNLOAD_ADDRESS, testStack } from '#test/support/harness/stack.ts';
import { createWebhook } from '#test/support/servers/webhook-receiver.ts';
import { axeViolations, openConsole } from './open-console.ts';

const { apiKey } = testStack();
const RECEIVER = `http://${DOWNLOAD_ADDRESS}:1/hook`;
const AWAY_MS = 60_000;
const FAILURE = { status: 500, json: { detail: 'The database is away.', code: 'internal_error', request_id: 'r-1' } };
/** What Chromium reports about those answers. */
const REPORTED = /status of 500/;

/** Lets the requests that read fail, as long as `isBroken`. Those that change something succeed. */
async function breakReads(page: Page): Promise<{ isBroken: boolean }> {
  const state = { isBroken: false };
  await page.route('**/api/v1/**', (route) => {
    const isRead = route.request().method() === 'GET' || route.request().url().endsWith('/collections/search');
    return state.isBroken && isRead ? route.fulfill(FAILURE) : route.fallback();
  });
  return state;
}

/** Somebody looks at another tab for a while: what was loaded is old when they come back. */
async function comeBack(page: Page): Promise<void> {
  const now: number = await page.evaluate('Date.now()');
  await page.clock.setFixedTime(now + AWAY_MS);
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))');
}

const notices = (page: Page) => page.getByRole('alert').filter({ hasText: 'The database is away.' });

test('a draft survives reads that fail, and the conversation is followed again when they succeed', async (t) => {
  const api = apiClient(apiKey);
  const { id } = await api.post('/conversations', Conversation, { json: { title: 'a draft' }, status: 201 });
  await using console = await openConsole({ apiKey, path: `/conversations/${id}` });
  const { page, problems } = console;
  const reads = await breakReads(page);
  const field = page.getByRole('textbox', { name: 'Message' });
  await field.fill('a long answer');
  reads.isBroken = true;
  await notices(page).first().waitFor();
  t.is(await field.count(), 1);
  t.is(await field.inputValue(), 'a long answer');
  await notices(page).nth(1).waitFor();
  t.deepEqual(await axeViolations(page), []);
  reads.isBroken = false;
  t.is((await api.send('/messages', { method: 'POST', json: { conversation_id: id, content: 'later' } })).status, 201);
  await page.getByRole('listitem').filter({ hasText: 'later' }).waitFor();
  await notices(page).first().waitFor({ state: 'detached' });
  t.is(await field.inputValue(), 'a long answer');
  t.deepEqual(
    problems.filter((problem) => !REPORTED.test(problem)),
    [],
  );
});

test('the new secret of a webhook is shown although the list cannot be read again, and before it is', async (t) => {
  const api = await freshClient();
  await createWebhook(api, RECEIVER);
  await using console = await openConsole({ apiKey: api.key, path: '/webhooks' });
  const { page } = console;
  const reads = await breakReads(page);
  const dialog = page.getByRole('dialog');
  const secret = dialog.getByLabel('Secret of the webhook', { exact: true });
  const rotate = async () => {
    await page.getByRole('button', { name: `Actions of ${RECEIVER}` }).click();
    await page.getByRole('menuitem', { name: 'New secret' }).click();
    await dialog.getByRole('button', { name: 'New secret' }).click();
  };
  await page.getByRole('row', { name: RECEIVER }).waitFor();
  reads.isBroken = true;
  const failed = page.waitForResponse((answer) => answer.status() === 500);
  await rotate();
  await failed;
  await notices(page).waitFor();
  const first = await secret.inputValue();
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await dialog.waitFor({ state: 'detached' });
  reads.isBroken = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await notices(page).waitFor({ state: 'detached' });

  const released = Promise.withResolvers<void>();
  await page.route('**/api/v1/webhooks?*', async (route) => {
    await released.promise;
    await route.fallback();
  });
  await rotate();
  t.not(await secret.inputValue(), first);
  released.resolve();
});

test('the new secret of a key stays until it is copied, although the list cannot be read again', async (t) => {
  const { key, workspaceId } = await createKey();
  await createKey({ workspaceId, permissions: ['collections:read'] });
  await using console = await openConsole({ apiKey: key, path: '/keys' });
  const { page } = console;
  const reads = await breakReads(page);
  const dialog = page.getByRole('dialog');
  const row = page.getByRole('row', { name: /1 permission/ });
  await row.getByRole('button', { name: /^Actions of/ }).click();
  await page.getByRole('menuitem', { name: 'New secret' }).click();
  await dialog.getByRole('button', { name: 'New secret' }).click();
  const field = dialog.getByLabel('API key', { exact: true });
  const secret = await field.inputValue();
  reads.isBroken = true;
  await comeBack(page);
  // What is behind a dialog is hidden from assistive technology.
  await page.getByText('The database is away.').waitFor();
  t.is(await field.count(), 1);
  t.is(await field.inputValue(), secret);
  t.is((await apiClient(secret).send('/me')).status, 200);
});

test('every list and page keeps what it shows when it cannot be read again, and can be read again', async (t) => {
  const api = await freshClient();
  const paths = await fillWorkspace(api);
  await using console = await openConsole({ apiKey: api.key, path: '/collections' });
  const { page, problems } = console;
  const reads = await breakReads(page);
  for (const [path, shown] of Object.entries(paths)) {
    await page.goto(`${testStack().baseUrl}/console${path}`);
    const content = page.getByRole('main').getByText(shown).first();
    await content.waitFor();
    reads.isBroken = true;
    await comeBack(page);
    await notices(page).first().waitFor();
    t.true(await content.isVisible(), path);
    reads.isBroken = false;
    await eventually('everything is read again', async () => {
      if ((await notices(page).count()) === 0) return true;
      // Several parts of a page may offer it; one that is followed is read again by itself.
      await page.getByRole('button', { name: 'Try again' }).first().click({ timeout: 1_000 });
      return false;
    });
    t.true(await content.isVisible(), path);
  }
  t.deepEqual(
    problems.filter((problem) => !REPORTED.test(problem)),
    [],
  );
});

/** Makes one of everything that has a page. Returns a text of each page by its path. */
async function fillWorkspace(api: ApiClient): Promise<Record<string, string>> {
  const { id: collectionId } = await api.createCollection('herrings');
  const { upload_id: uploadId, uploads } = await api.upload(collectionId, [
    ['files', new File(['a herring'], 'herring.txt')],
  ]);
  const { id: webhookId } = await createWebhook(api, RECEIVER);
  const make = async (path: string, json: object, method = 'POST') =>
    api.get(path, z.object({ id: z.string().optional() }), { method, json, status: method === 'PUT' ? 200 : 201 });
  await make('/memories', { user_id: 'ada', memory: 'Prefers herring.' });
  await make('/conversations', { title: 'About herrings' });
  await make('/connections', { integration: 'crm', integration_type: 'connectors', label: 'the fish market' });
  const endpoints = { authorization_endpoint: `${RECEIVER}/authorize`, token_endpoint: `${RECEIVER}/token` };
  await make('/oauth/clients/crm', { client_id: 'herring-client', ...endpoints }, 'PUT');
  return {
    '/collections': 'herrings',
    [`/collections/${collectionId}`]: 'herring.txt',
    [`/collections/${collectionId}/contents/${uploads[0]?.content_id}`]: 'tokens',
    '/search?query=herring': 'herring.txt',
    '/jobs': 'herring.txt',
    [`/jobs/${uploadId}`]: 'herring.txt',
    '/memories': 'Prefers herring.',
    '/conversations': 'About herrings',
    '/connections': 'the fish market',
    '/connections/clients': 'herring-client',
    '/webhooks': RECEIVER,
    [`/webhooks/${webhookId}`]: RECEIVER,
    '/keys': 'a test',
  };
}
