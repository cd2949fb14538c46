import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';
import { HOSTILE_TEXTS } from '#test/support/fixtures/hostile-texts.ts';
import { startFlow } from '#test/support/harness/flow.ts';
import { axeViolations, openConsole, smallTargets, widthBeyondWindow } from './open-console.ts';

const NARROW = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;

test('a search is filtered by clicking, compared, explained, and copied as a command that finds the same', async (t) => {
  const flow = await startFlow();
  await flow.upload(['file', textFile('otters.txt', 'Otters sleep holding hands.')], ['metadata', '{"lang":"en"}']);
  await flow.upload(['file', textFile('seeotter.txt', 'Seeotter sleep, in German.')], ['metadata', '{"lang":"de"}']);
  await using console = await openConsole({ apiKey: flow.key, path: '/search' });
  const { page, problems } = console;
  await page.getByRole('searchbox', { name: 'Search for' }).fill('sleeping');
  await page.keyboard.press('Enter');
  await page.getByText(/^2 results/).waitFor();
  t.deepEqual(await page.locator('mark').allInnerTexts(), ['sleep', 'sleep']);
  await page.getByRole('button', { name: 'Add a filter' }).click();
  await page.getByRole('combobox', { name: 'Field' }).fill('lang');
  await page.getByRole('combobox', { name: 'Value' }).click();
  await page.getByRole('option', { name: 'en (1)' }).click();
  await page.getByText(/^1 result in/).waitFor();
  t.deepEqual(await axeViolations(page), []);
  await page.getByRole('button', { name: 'Add a filter' }).click();
  t.deepEqual(await smallTargets(page), [], 'with two filters');
  await page
    .getByRole('button', { name: /^Remove/ })
    .last()
    .click();

  await page.getByText('Side by side', { exact: true }).click();
  for (const kind of ['Hybrid', 'Keyword', 'Vector']) {
    const results = page.getByRole('region', { name: kind });
    await results.getByRole('button', { name: 'Open the passage of otters.txt' }).waitFor();
  }
  t.deepEqual(await smallTargets(page), [], 'side by side');
  await page.getByRole('button', { name: 'Copy as code' }).click();
  await page.getByRole('dialog').locator('pre').waitFor();
  t.deepEqual(await smallTargets(page), [], 'with code');
  const { stdout } = await promisify(execFile)(
    'sh',
    ['-c', await page.getByRole('dialog').locator('pre').innerText()],
    {
      env: { ...process.env, LOCI_API_KEY: flow.key },
    },
  );
  t.deepEqual(sourcesOf(JSON.parse(stdout)), ['otters.txt']);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();

  await page.getByRole('button', { name: 'Is something missing?' }).click();
  await page.getByRole('combobox', { name: 'Document' }).fill('see');
  await page.getByRole('option', { name: 'seeotter.txt' }).click();
  await page.getByText('metadata.lang: de').waitFor();
  t.deepEqual(await axeViolations(page), []);
  await page.reload();
  await page
    .getByRole('region', { name: 'Keyword' })
    .getByText(/^1 result in/)
    .waitFor();
  t.deepEqual(problems, []);
});

test('what is missing in a search of several collections is explained by the collection that has it, and compared with the results', async (t) => {
  const flow = await startFlow();
  await flow.upload(['file', textFile('coast.txt', `${'Gulls nest on the cliffs of the coast. '.repeat(20)}Otters.`)]);
  const { id: rich } = await flow.api.createCollection('console: rich');
  const { id: other } = await flow.api.createCollection('console: other');
  // Where a word is rare, those that have it rank higher.
  const files = Array.from({ length: 42 }, (_, at) => {
    const subject = at < 12 ? 'otters' : 'puffins';
    return ['files', textFile(`${subject}-${at}.txt`, `About ${subject}: ${at}.`)] as const;
  });
  await flow.api.upload(rich, files);
  await flow.api.upload(other, [['files', textFile('coast-elsewhere.txt', 'Nothing about them.')]]);
  const searched = encodeURIComponent(JSON.stringify([flow.collectionId, rich]));
  const path = `/search?query=otters&type=keyword&collections=${searched}`;
  await using console = await openConsole({ apiKey: flow.key, path });
  const { page, problems } = console;
  await page.getByText(/^10 results/).waitFor();
  const best = await page
    .getByRole('button', { name: /^Open the passage of/ })
    .first()
    .getAttribute('aria-label');
  await page.getByRole('button', { name: 'Is something missing?' }).click();
  const reason = page.getByRole('dialog').getByRole('status');
  await page.getByRole('combobox', { name: 'Document' }).fill('coast');
  await page.getByRole('option', { name: /^coast\.txt in / }).waitFor();
  t.is(await page.getByRole('option').count(), 1, 'the search does not look in the other collection');
  await page.getByRole('option').click();
  await reason.getByText('those of other collections rank higher').waitFor();
  t.regex(await reason.innerText(), /a search of the collection .* alone:\s+It is among the results, at rank 1\./);
  const [bestName = ''] = /otters-\d+\.txt/.exec(best ?? '') ?? [];
  await page.getByRole('combobox', { name: 'Document' }).fill(bestName);
  await page.getByRole('option', { name: `${bestName} in console: rich` }).click();
  await reason.getByText('Among the results of this search it is at rank 1.').waitFor();
  await page.goto(`${new URL(page.url()).origin}/console/search?query=otters&type=keyword`);
  await page.getByRole('button', { name: 'Is something missing?' }).click();
  await page.getByRole('combobox', { name: 'Document' }).fill('coast.txt');
  await page.getByRole('option', { name: 'coast.txt' }).click();
  await reason.getByText('those of other collections rank higher').waitFor();
  t.deepEqual(await axeViolations(page), []);
  t.deepEqual(problems, []);
});

test('hostile passages are shown as text at 390 px, and a filter that the service refuses says why', async (t) => {
  const flow = await startFlow();
  await flow.upload(...HOSTILE_TEXTS.map((text) => ['content', `found ${text}`] as const));
  await using console = await openConsole({
    apiKey: flow.key,
    path: `/search?query=found&results=50&collections=${encodeURIComponent(JSON.stringify([flow.collectionId]))}`,
    browser: NARROW,
  });
  const { page, problems } = console;
  await page.getByText(`${HOSTILE_TEXTS.length} results`).waitFor();
  const shown = await page.getByRole('main').innerText();
  t.deepEqual(
    HOSTILE_TEXTS.filter((text) => !shown.includes(text)),
    [],
  );
  await page
    .getByRole('button', { name: /^Open the passage/ })
    .first()
    .click();
  await page.getByRole('dialog').getByText('found').first().waitFor();
  t.is(await widthBeyondWindow(page), 0);
  t.deepEqual(await smallTargets(page), [], 'at 390 px');
  t.deepEqual(await axeViolations(page), []);
  const filters = JSON.stringify([{ field: 'year', operator: '$gt', value: 'late' }]);
  await page.goto(`${new URL(page.url()).origin}/console/search?query=found&filters=${encodeURIComponent(filters)}`);
  t.regex(await page.getByRole('alert').innerText(), /filters[\s\S]*validation_failed[\s\S]*Request/);
  t.deepEqual(problems, []);
});

function textFile(name: string, text: string): File {
  return new File([text], name, { type: 'text/plain' });
}

function sourcesOf({ results }: { results: { source: string }[] }): string[] {
  return results.map(({ source }) => source);
}
