import test from 'ava';
import { launchChromium } from '#test/support/harness/chromium.ts';
import { testStack } from '#test/support/harness/stack.ts';

test('the docs page renders the operations in a real browser and loads nothing from other origins', async (t) => {
  const { baseUrl } = testStack();
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())));
    page.on('pageerror', (error) => void problems.push(error.message));
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== 'data:' && protocol !== 'blob:' && origin !== baseUrl)
        problems.push(`requested ${request.url()}`);
    });
    await page.goto(`${baseUrl}/docs`);
    await page.locator('#operations-Collections-searchCollection').waitFor();
    t.true((await page.locator('.opblock').count()) >= 20);
    await page.locator('#operations-Collections-searchCollection .opblock-summary-control').click();
    await page.getByText('how is a rotated token kept').first().waitFor();
    t.deepEqual(problems, []);
  } finally {
    await browser.close();
  }
});
