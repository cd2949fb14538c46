import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { Page } from 'playwright-core';
import { apiClient, createKey } from '#test/support/harness/api-client.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { chooseFiles, fileNames } from './choose-files.ts';
import { axeViolations, openConsole } from '../open-console.ts';

const { apiKey, workspaceId } = testStack();

test('signing out ends the requests on their way, and what somebody else then uploads is sent in their name', async (t) => {
  const { key } = await createKey({ workspaceId, permissions: ['collections:read', 'contents:read', 'uploads:write'] });
  const { id } = await apiClient(apiKey).createCollection('console: two people');
  await using console = await openConsole({ apiKey, path: `/collections/${id}` });
  const { page, problems } = console;
  const senders: string[] = [];
  const ended = endedUploads(page);
  await page.route('**/api/v1/upload', async (route) => {
    const isSecond = (await route.request().headerValue('X-API-Key')) === key;
    senders.push(isSecond ? 'second' : 'first');
    // Those of the first are held open.
    if (isSecond) await route.continue();
  });
  await chooseFiles(page, fileNames('first', 40));
  await eventually('two requests are on their way', async () => senders.length === 2);
  t.deepEqual(ended, []);
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await eventually('both have ended', async () => ended.length === 2);
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'console: two people' }).waitFor();
  await chooseFiles(page, ['second.txt']);
  // The key may not read how far uploads are: what was accepted is done.
  await page.getByRole('region', { name: 'Uploads: 1 of 1 done' }).waitFor();
  t.deepEqual(senders, ['first', 'first', 'second']);
  t.deepEqual(problems, []);
});

test('sending is stopped, the browser warns before it loses what waits, and all is sent again at once', async (t) => {
  const { id } = await apiClient(apiKey).createCollection('console: stopped');
  await using console = await openConsole({ apiKey, path: `/collections/${id}` });
  const { page, problems } = console;
  const ended = endedUploads(page);
  let [requests, isHeld] = [0, true];
  await page.route('**/api/v1/upload', async (route) => {
    requests += 1;
    if (!isHeld) await route.continue();
  });
  const warns = () => page.evaluate<boolean>('!dispatchEvent(new Event("beforeunload", { cancelable: true }))');
  t.false(await warns());
  await chooseFiles(page, fileNames('file', 50));
  await eventually('two requests are on their way', async () => requests === 2);
  t.true(await warns());
  const uploads = page.getByRole('region', { name: /^Uploads/ });
  await uploads.getByRole('button', { name: 'Stop sending' }).click();
  await eventually('both have ended', async () => ended.length === 2);
  await uploads.getByText('Sending was stopped.').nth(49).waitFor();
  t.false(await warns());
  t.deepEqual(await axeViolations(page), []);
  t.is(requests, 2);
  isHeld = false;
  await uploads.getByRole('button', { name: 'Send all that failed again' }).click();
  await page.getByRole('region', { name: 'Uploads: 50 of 50 done' }).waitFor();
  t.is(await uploads.getByText('Not accepted').count(), 0);
  await uploads.getByRole('button', { name: /^Clear this list/ }).click();
  await uploads.waitFor({ state: 'detached' });
  t.deepEqual(problems, []);
});

test('credentials that are refused for a while fail nothing that waits to be sent', async (t) => {
  const { id } = await apiClient(apiKey).createCollection('console: refused');
  await using console = await openConsole({ apiKey, path: `/collections/${id}` });
  const { page, problems } = console;
  let [refused, checked] = [0, 0];
  await page.route('**/api/v1/upload', async (route) => {
    if (refused === 4) return route.continue();
    refused += 1;
    return route.fulfill({ status: 401, json: { detail: 'The token has expired.', code: 'unauthorized' } });
  });
  page.on('request', (request) => (checked += request.url().endsWith('/api/v1/me') ? 1 : 0));
  await chooseFiles(page, fileNames('file', 100));
  const uploads = page.getByRole('region', { name: 'Uploads: 100 of 100 done' });
  await uploads.waitFor();
  t.is(await uploads.getByText('Not accepted').count(), 0);
  t.is(refused, 4);
  t.true(checked > 0, 'it is asked whether the session has ended');
  t.deepEqual(problems, []);
});

test('an outage of many minutes fails nothing that waits to be sent', async (t) => {
  const { id } = await apiClient(apiKey).createCollection('console: outage');
  await using console = await openConsole({ apiKey, path: `/collections/${id}` });
  const { page } = console;
  await page.clock.install();
  await page.reload();
  await page.getByRole('heading', { name: 'console: outage' }).waitFor();
  let isAway = true;
  for (const url of ['**/api/v1/upload', '**/console/']) {
    await page.route(url, (route) => (isAway ? route.abort('connectionrefused') : route.continue()));
  }
  await chooseFiles(page, fileNames('file', 50));
  const uploads = page.getByRole('region', { name: /^Uploads/ });
  await eventually('it waits for the service', async () => {
    await page.clock.fastForward(30_000);
    return (await uploads.getByText('It goes on when the service is back.').count()) === 40;
  });
  await page.clock.fastForward(600_000);
  t.is(await uploads.getByText('Waiting to be sent').count(), 10);
  isAway = false;
  await eventually('all is sent', async () => {
    await page.clock.fastForward(30_000);
    return (await page.getByRole('region', { name: 'Uploads: 50 of 50 done' }).count()) === 1;
  });
  t.is(await uploads.getByText('Not accepted').count(), 0);
});

test('a file that is gone when its turn comes says so, and what was to be sent with it is sent without it', async (t) => {
  const { id } = await apiClient(apiKey).createCollection('console: gone');
  const folder = await mkdtemp(join(tmpdir(), 'loci-gone-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const paths = ['gone.txt', 'kept.txt'].map((name) => join(folder, name));
  for (const path of paths) await writeFile(path, `the text of ${path}`);
  await using console = await openConsole({ apiKey, path: `/collections/${id}` });
  const { page } = console;
  const input = page.getByLabel('Files …', { exact: true });
  const released = Promise.withResolvers<void>();
  let requests = 0;
  await page.route('**/api/v1/upload', async (route) => {
    requests += 1;
    if (requests <= 2) await released.promise;
    await route.continue();
  });
  const before = Array.from({ length: 40 }, (_, index) => `before-${index}.txt`);
  await input.setInputFiles(before.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) })));
  await eventually('two requests are on their way', async () => requests === 2);
  await input.setInputFiles(paths);
  const uploads = page.getByRole('region', { name: /^Uploads/ });
  await uploads.getByText('kept.txt').waitFor();
  await rm(paths[0] ?? '');
  released.resolve();
  await uploads.getByText('It was moved, deleted or changed').waitFor();
  t.is(await uploads.getByText('Not accepted').count(), 1);
  await page.getByRole('row', { name: /kept\.txt/ }).waitFor();
});

test('what is uploaded while the service restarts is sent again, and accepted once', async (t) => {
  const { id } = await apiClient(apiKey).createCollection('console: restarts');
  await using console = await openConsole({ apiKey, path: `/collections/${id}` });
  const { page } = console;
  const keys: (string | null)[] = [];
  await page.route('**/api/v1/upload', async (route) => {
    keys.push(await route.request().headerValue('Idempotency-Key'));
    if (keys.length === 1) return route.abort('connectionreset');
    return keys.length === 2 ? route.fulfill({ status: 503, body: 'restarting' }) : route.continue();
  });
  await page
    .getByLabel('Files …', { exact: true })
    .setInputFiles([{ name: 'patient.txt', mimeType: 'text/plain', buffer: Buffer.from('patient') }]);
  await page.getByRole('region', { name: 'Uploads: 1 of 1 done' }).waitFor();
  await page.getByRole('row', { name: /patient\.txt/ }).waitFor();
  t.deepEqual(keys, [keys[0], keys[0], keys[0]]);
});

/** Paths of the uploads that the page has ended before they were answered, as they come. */
function endedUploads(page: Page): string[] {
  const ended: string[] = [];
  page.on('requestfailed', (request) => {
    if (request.url().endsWith('/api/v1/upload')) ended.push(request.failure()?.errorText ?? '');
  });
  return ended;
}
