import test from 'ava';
import { freshClient } from '#test/support/harness/api-client.ts';
import { startFlow } from '#test/support/harness/flow.ts';
import { openConsole } from './open-console.ts';

/** Zones whose offsets are no whole hours, one of them with summer time; a time in each, and the same in UTC. */
const ZONES = [
  {
    timezoneId: 'Asia/Kathmandu',
    shown: '2026-03-29T02:15:15',
    entered: '2025-12-31T23:59:30',
    utc: '2025-12-31T18:14:30.000Z',
  },
  {
    timezoneId: 'America/St_Johns',
    shown: '2026-03-28T18:00:15',
    entered: '2026-01-15T00:10:20',
    utc: '2026-01-15T03:40:20.000Z',
  },
];
const TIME = '2026-03-28T20:30:15.000Z';
/** Browsers and Node separate the time from AM and PM by different spaces. */
const withPlainSpaces = (text: string | null) => text?.replaceAll(/\s/g, ' ');

for (const { timezoneId, shown, entered, utc } of ZONES) {
  test(`in ${timezoneId}, times are shown and entered in that zone`, async (t) => {
    const flow = await startFlow();
    await flow.upload(['content', 'Otters sleep.']);
    const path = `/collections/${flow.collectionId}`;
    await using console = await openConsole({ apiKey: flow.key, path, browser: { timezoneId, locale: 'en-GB' } });
    const { page, problems } = console;
    const added = page.getByRole('table').locator('time');
    const at = new Date((await added.getAttribute('datetime')) ?? '');
    const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: timezoneId });
    t.is(withPlainSpaces(await added.getAttribute('title')), withPlainSpaces(format.format(at)));

    const asOf = encodeURIComponent(TIME);
    await page.goto(`${new URL(page.url()).origin}/console/memories?user=nobody&asOf=${asOf}`);
    const field = page.getByLabel('As they were at');
    t.is(await field.inputValue(), shown);
    await field.fill(entered);
    await page.waitForURL((url) => url.searchParams.get('asOf') !== TIME);
    t.is(new URL(page.url()).searchParams.get('asOf'), utc);
    t.is(await field.inputValue(), entered);
    t.deepEqual(problems, []);
  });
}

test('a list that is left open says how long ago something was, as time passes', async (t) => {
  const api = await freshClient();
  await api.createCollection('console: left open');
  await using console = await openConsole({ apiKey: api.key, path: '/collections' });
  const { page, problems } = console;
  await page.clock.install();
  await page.reload();
  const row = page.getByRole('row', { name: 'console: left open' });
  await row.getByText('just now').first().waitFor({ state: 'attached' });
  await page.clock.fastForward('03:00:30');
  await row.getByText('3 hours ago').first().waitFor({ state: 'attached' });
  t.deepEqual(problems, []);
});
