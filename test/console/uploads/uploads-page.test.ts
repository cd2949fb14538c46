import test from 'ava';
import { DeletionAccepted } from '#domain/records/deletion.ts';
import { UploadResponse } from '#domain/records/upload.ts';
import { HOSTILE_TEXTS } from '#test/support/fixtures/hostile-texts.ts';
import { apiClient, createKey, formFor } from '#test/support/harness/api-client.ts';
import { DOWNLOAD_ADDRESS, testStack } from '#test/support/harness/stack.ts';
import { startTrapServer, type Trap } from '#test/support/servers/trap-server.ts';
import { axeViolations, openConsole, widthBeyondWindow } from '../open-console.ts';

const { apiKey, workspaceId, temporalUi, environment } = testStack();
const NARROW = { viewport: { width: 390, height: 844 } };

test('an upload is paused, resumed and cancelled, and its workflow opens in the Temporal UI', async (t) => {
  const api = apiClient(apiKey);
  const { id } = await api.createCollection('console: steered');
  // It answers with the first bytes, and never with the last ones.
  const slow = await startTrapServer(
    t,
    { '/slow.txt': (response) => void response.writeHead(200, { 'Content-Length': '99' }).write('slow') },
    { address: DOWNLOAD_ADDRESS },
  );
  const form = formFor(id, [['urls', `${slow.origin}/slow.txt`]]);
  const { upload_id: uploadId } = await api.post('/upload', UploadResponse, { body: form, status: 202 });
  await using console = await openConsole({ apiKey, path: `/jobs?collection=${id}` });
  const { page, problems } = console;
  const row = page.getByRole('row', { name: /slow\.txt/ });
  await row.getByText('Running').last().waitFor();
  t.deepEqual(await axeViolations(page), []);
  await row.getByRole('button', { name: /^Actions of/ }).click();
  await page.getByRole('menuitem', { name: 'Pause' }).click();
  await row.getByText('Paused').last().waitFor();

  await row.getByRole('link', { name: /slow\.txt/ }).click();
  const workflow = page.getByRole('link', { name: /^Open in the Temporal UI: .*slow\.txt/ });
  const namespace = environment['LOCI_TEMPORAL_NAMESPACE'] ?? '';
  t.is(
    await workflow.getAttribute('href'),
    `${temporalUi}/namespaces/${namespace}/workflows/${encodeURIComponent(`ingest-upload/${uploadId}`)}`,
  );
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('Running').first().waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Cancelled').first().waitFor();
  t.is(await page.getByRole('button', { name: /^(Pause|Resume|Cancel)$/ }).count(), 0);
  t.deepEqual(await axeViolations(page), []);
  t.deepEqual(problems, []);
});

test('what failed says why and is tried again, and a deletion shows its receipt', async (t) => {
  const api = apiClient(apiKey);
  const { id } = await api.createCollection('console: failed');
  const broken = new File([`%PDF-1.7\n${'x'.repeat(99)}`], 'broken.pdf');
  const { uploads } = await api.upload(id, [
    ['files', broken],
    ['files', new File(['otters'], 'good.txt')],
    ['files', new File([], 'empty.txt')],
  ]);
  await using console = await openConsole({ apiKey, path: `/jobs?collection=${id}` });
  const { page, problems } = console;
  const row = page.getByRole('row', { name: /broken\.pdf/ });
  t.regex(await row.innerText(), /Done, with failures[\s\S]*2 of 2 done[\s\S]*1 failed · 1 not accepted/);
  await row.getByRole('link', { name: 'broken.pdf' }).click();
  const failed = page.getByRole('region', { name: 'What failed' });
  await failed.getByText('broken.pdf').waitFor();
  t.regex(await failed.innerText(), /broken\.pdf\s+\S+/);
  t.regex(
    await page.getByRole('region', { name: 'What was not accepted' }).innerText(),
    /empty\.txt\s+The file is empty/,
  );
  t.deepEqual(await axeViolations(page), []);
  const retried = page.waitForResponse((answer) => answer.url().endsWith('/retry'));
  await failed.getByRole('button', { name: 'Try broken.pdf again' }).click();
  t.is((await retried).status(), 200);
  await failed.getByText('broken.pdf').waitFor();

  const good = uploads.find(({ name }) => name === 'good.txt')?.content_id ?? '';
  const { deletion_id: deletionId } = await api.get(`/contents/${good}`, DeletionAccepted, {
    method: 'DELETE',
    status: 202,
  });
  await page.getByRole('link', { name: 'Uploads and jobs' }).first().click();
  await page.getByRole('tab', { name: 'Deletions' }).click();
  const deleted = page.getByRole('row', { name: new RegExp(good) });
  await deleted.getByText('Done').last().waitFor();
  t.deepEqual(await axeViolations(page), []);
  await deleted.getByRole('link', { name: 'Content' }).click();
  const receipt = page.getByRole('dialog');
  await receipt.getByText('it was verified that nothing is left').waitFor();
  const workflow = await receipt.getByRole('link', { name: 'Open in the Temporal UI: Content' }).getAttribute('href');
  t.true(workflow?.endsWith(encodeURIComponent(`delete-content/${deletionId}`)));
  t.deepEqual(await axeViolations(page), []);
  t.deepEqual(problems, []);
});

test('the page of an upload that was watched to its end lists what has become of every content', async (t) => {
  const api = apiClient(apiKey);
  const { id } = await api.createCollection('console: watched');
  const released = Promise.withResolvers<void>();
  const bodies = { a: `%PDF-1.7\n${'a'.repeat(99)}`, b: `%PDF-1.7\n${'b'.repeat(99)}`, c: 'otters' };
  const traps = Object.entries(bodies).map(([name, body]): [string, Trap] => [
    `/${name}.file`,
    (response) => void released.promise.then(() => response.end(body)),
  ]);
  const files = await startTrapServer(t, Object.fromEntries(traps), { address: DOWNLOAD_ADDRESS });
  const form = formFor(
    id,
    Object.keys(bodies).map((name) => ['urls', `${files.origin}/${name}.file`]),
  );
  const { upload_id: uploadId } = await api.post('/upload', UploadResponse, { body: form, status: 202 });
  await using console = await openConsole({ apiKey, path: `/jobs/${uploadId}` });
  const { page, problems } = console;
  const contents = page.getByRole('region', { name: 'Contents' });
  const failed = page.getByRole('region', { name: 'What failed' });
  await contents.getByRole('row').nth(3).waitFor();
  released.resolve();
  await page.getByText('Done, with failures').waitFor();
  for (const name of ['a', 'b']) await failed.getByText(new RegExp(`${name}\\.file`)).waitFor();
  for (const [name, status] of [
    ['a', 'Failed'],
    ['b', 'Failed'],
    ['c', 'Ready'],
  ]) {
    await contents
      .getByRole('row', { name: new RegExp(`${name}\\.file`) })
      .getByText(status ?? '')
      .last()
      .waitFor();
  }
  t.deepEqual(problems, []);
});

test('hostile names are shown as text at 390 px, and a key that only reads is offered nothing else', async (t) => {
  const api = apiClient(apiKey);
  const { id } = await api.createCollection(`console: uploads ${HOSTILE_TEXTS[1]}`);
  for (const text of HOSTILE_TEXTS) {
    const form = formFor(id, [
      ['content', text],
      ['label', text.replaceAll(/[\u202A-\u202E]/g, '')],
      ['on_duplicate', 'keep'],
    ]);
    await api.post('/upload', UploadResponse, { body: form, status: 202 });
  }
  const reader = await createKey({ workspaceId, permissions: ['uploads:read', 'collections:read'] });
  await using console = await openConsole({ apiKey: reader.key, path: `/jobs?collection=${id}`, browser: NARROW });
  const { page, problems } = console;
  const first = page.getByRole('link', { name: HOSTILE_TEXTS[0] ?? '', exact: true });
  await first.waitFor();
  t.is(await page.getByRole('row').count(), HOSTILE_TEXTS.length + 1);
  t.is(await page.getByRole('button', { name: /^Actions of/ }).count(), 0);
  t.is(await page.getByRole('tab').count(), 2);
  t.is(await widthBeyondWindow(page), 0);
  t.deepEqual(await axeViolations(page), []);
  await first.click();
  await page.getByRole('heading', { name: HOSTILE_TEXTS[0] ?? '', exact: true }).waitFor();
  await page
    .getByRole('region', { name: 'Contents' })
    .getByText(HOSTILE_TEXTS[0] ?? '')
    .waitFor();
  t.is(await page.getByRole('link', { name: /Temporal/ }).count(), 0);
  t.is(await widthBeyondWindow(page), 0);
  t.deepEqual(problems, []);
});
