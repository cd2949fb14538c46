import test from 'ava';
import { apiClient, createKey } from '#test/support/harness/api-client.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { ServiceFacts } from '#domain/records/access/service-facts.ts';
import { axeViolations, openConsole, widthBeyondWindow } from './open-console.ts';

const { apiKey, workspaceId, temporalUi, environment } = testStack();
const NARROW = { viewport: { width: 390, height: 844 } };

test('operators see dependencies, queues, versions and settings, and no secret', async (t) => {
  const { versions } = await apiClient(apiKey).get('/service', ServiceFacts);
  await using console = await openConsole({ apiKey, path: '/health' });
  const { page, problems } = console;
  const queues = page.getByRole('region', { name: 'Queues' });
  t.regex(
    await queues.getByRole('row', { name: /^ingest/ }).innerText(),
    /ingest\s+Ingests everything else\s+\d+\s+\S+\s+[1-9]/,
  );
  t.is(
    await queues.getByRole('link', { name: 'Open the Temporal UI' }).getAttribute('href'),
    `${temporalUi}/namespaces/${environment['LOCI_TEMPORAL_NAMESPACE'] ?? ''}/workflows`,
  );
  const shown = await page.getByRole('region', { name: 'Versions' }).innerText();
  for (const version of Object.values(versions)) t.true(version !== null && shown.includes(version), shown);
  const settings = page.getByRole('region', { name: 'Settings' });
  t.regex(await settings.innerText(), /LOCI_DATABASE_URL\s+Set, not shown/);
  t.false((await settings.innerText()).includes('LOCI_MAX_FILE_BYTES'));
  t.deepEqual(await axeViolations(page), []);
  await settings.getByRole('switch', { name: 'Show defaults too' }).click();
  await settings.getByText('LOCI_MAX_FILE_BYTES').waitFor();
  const all = await page.content();
  for (const [name, value] of Object.entries(environment))
    if (/TOKEN|SECRET|PEPPER|API_KEY|DATABASE_URL/.test(name)) t.false(all.includes(value), name);
  await settings.getByLabel('Filter by name').fill('embedder_model');
  await settings.getByText('LOCI_MAX_FILE_BYTES').waitFor({ state: 'hidden' });
  t.regex(await settings.innerText(), /LOCI_EMBEDDER_MODEL/);
  t.deepEqual(problems, []);
});

test('keys that do not operate the service see whether it works, at 390 px, and who sees more', async (t) => {
  const reader = await createKey({ workspaceId, permissions: ['collections:read'] });
  await using console = await openConsole({ apiKey: reader.key, path: '/health', browser: NARROW });
  const { page, problems } = console;
  await page.getByText('Everything works').waitFor();
  await page.getByText(new RegExp(`LOCI_OPERATOR_WORKSPACES.*This one is ${workspaceId}`)).waitFor();
  t.is(await page.getByRole('region', { name: /Queues|Settings/ }).count(), 0);
  t.is(await widthBeyondWindow(page), 0);
  t.deepEqual(await axeViolations(page), []);
  t.deepEqual(problems, []);
  const operator = await openConsole({ apiKey, path: '/health', browser: NARROW });
  await operator.page.getByRole('region', { name: 'Settings' }).waitFor();
  t.is(await widthBeyondWindow(operator.page), 0);
  await operator[Symbol.asyncDispose]();
});
