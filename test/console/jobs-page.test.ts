import test from 'ava';
import { Compression } from '#domain/records/compression.ts';
import { createLexicalEmbedder } from '#providers/embedders/index.ts';
import { HOSTILE_TEXTS } from '#test/support/fixtures/hostile-texts.ts';
import { freshClient } from '#test/support/harness/api-client.ts';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { axeViolations, openConsole, widthBeyondWindow } from './open-console.ts';

const NARROW = { viewport: { width: 390, height: 844 } };

test('compressions show their results, and changes of embedders are steered', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('console: embedder');
  const behind = openBehindTheApi(testStack());
  t.teardown(() => behind.close());
  const { space } = createLexicalEmbedder();
  // Paused before a workflow has begun it.
  await behind.query(
    `insert into reembeddings (workspace_id, collection_id, status, status_message, generation, from_space, to_space)
     select workspace_id, id, 'paused', 'The embedder refused the key.', 2, :old::jsonb, :new::jsonb
     from collections where id = :id`,
    { id, old: JSON.stringify({ ...space, model: 'old' }), new: JSON.stringify({ ...space, model: 'new' }) },
  );
  const json = { content: `${HOSTILE_TEXTS[0]}.`, strategy: 'dedupe', webhook_url: 'http://127.0.0.1:9/nobody' };
  await api.post('/compress', Compression, { json, status: 202 });
  await using console = await openConsole({ apiKey: api.key, path: '/jobs?tab=index', browser: NARROW });
  const { page, problems } = console;
  const change = page.getByRole('row', { name: /console: embedder/ });
  await change.waitFor();
  const tabs = await page.getByRole('tab').all();
  const rows = new Set(await Promise.all(tabs.map(async (tab) => (await tab.boundingBox())?.y)));
  t.deepEqual([tabs.length, rows.size], [4, 1], 'the tabs are in one row');
  t.regex(await change.innerText(), /From old to new[\s\S]*Paused[\s\S]*The embedder refused the key\./);
  t.is(await widthBeyondWindow(page), 0);
  t.deepEqual(await axeViolations(page), []);
  const steer = async (action: string) => {
    await change.getByRole('button', { name: 'Actions of console: embedder' }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  await steer('Resume');
  await change.getByText('Waiting').first().waitFor();
  await steer('Cancel');
  await change.getByText('Being cancelled').first().waitFor();
  t.is(await change.getByRole('button').count(), 0);

  await page.getByRole('tab', { name: 'Compressions' }).click();
  const job = page.getByRole('row', { name: /Repetitions folded/ });
  await job.getByText('Done').first().waitFor();
  t.is(await widthBeyondWindow(page), 0);
  t.deepEqual(await axeViolations(page), []);
  await job.getByRole('link', { name: 'Repetitions folded' }).click();
  const result = page.getByRole('dialog');
  await result.getByText(`${HOSTILE_TEXTS[0]}.`).waitFor();
  t.is(await widthBeyondWindow(page), 0);
  t.deepEqual(await axeViolations(page), []);
  await page.keyboard.press('Escape');
  await result.waitFor({ state: 'detached' });
  await page.getByRole('tab', { name: 'Deletions' }).click();
  await page.getByText('Nothing was deleted yet').waitFor();
  t.deepEqual(problems, []);
});
