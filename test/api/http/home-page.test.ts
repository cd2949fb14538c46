import test, { type ExecutionContext } from 'ava';
import { launchChromium } from '#test/support/harness/chromium.ts';
import { openOwnApi } from '#test/support/harness/own-api.ts';

/** Opens `/` of an API that serves no console. */
async function opener(t: ExecutionContext) {
  const { baseUrl } = await openOwnApi(t);
  return (accept: string | null, method = 'GET') =>
    fetch(`${baseUrl}/`, { method, headers: accept === null ? {} : { Accept: accept } });
}

test('a browser that opens / sees what runs here, and gets to the API reference and the health of the service', async (t) => {
  const { baseUrl } = await openOwnApi(t, { version: '1.2.3' });
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())));
    await page.goto(`${baseUrl}/`);
    t.is(await page.title(), 'Loci');
    t.regex(await page.locator('body').innerText(), /the API of Loci \d+\.\d+\.\d+.* It is running\./s);
    const targets: string[] = await page
      .locator('a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    t.deepEqual(targets.toSorted(), ['/docs', '/livez', '/metrics', '/openapi.json', '/readyz']);
    for (const target of targets) t.is((await fetch(baseUrl + target)).status, 200, target);
    t.deepEqual(problems, [], 'the page shows no error, such as a style that its policy forbids');
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.locator('#operations-Collections-searchCollection').waitFor();
  } finally {
    await browser.close();
  }
});

test('clients that do not ask for HTML first get a 404 in the error shape at /', async (t) => {
  const home = await opener(t);
  for (const accept of [null, '*/*', 'application/json', 'application/json, text/html;q=0.5']) {
    const response = await home(accept);
    t.is(response.status, 404, String(accept));
    t.like(await response.json(), { code: 'not_found' });
  }
  t.is((await home('text/html', 'POST')).status, 404);
});

test('the page at / may load nothing, and caches keep it apart from the answer to other clients', async (t) => {
  const home = await opener(t);
  const response = await home('text/html,application/xhtml+xml;q=0.9,*/*;q=0.8', 'HEAD');
  t.is(response.status, 200);
  t.is(response.headers.get('Content-Type'), 'text/html; charset=utf-8');
  t.is(response.headers.get('Vary'), 'Accept');
  t.regex(response.headers.get('Content-Security-Policy') ?? '', /^default-src 'none'/);
});
