import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { startAnswerApi } from '#test/api/answers/answer-api.ts';
import { startFlow } from '#test/support/harness/flow.ts';
import { axeViolations, openConsole } from './open-console.ts';

const QUESTION = 'When does the ferry to Ulva leave?';

test('an answer is shown as it is written, its marks open the passage, and it can be stopped', async (t) => {
  const [api, flow] = await Promise.all([startAnswerApi(), startFlow()]);
  t.teardown(() => api.close());
  await flow.upload(['content', 'The ferry to Ulva leaves at noon. Tickets are sold on board.']);
  const shown = Promise.withResolvers<void>();
  api.behave(() =>
    (async function* () {
      yield 'At no';
      await shown.promise;
      yield 'on <b>sharp</b> [1].';
    })(),
  );
  await using console = await openConsole({ apiKey: flow.key, path: '/ask', baseUrl: new URL(api.url).origin });
  const { page, problems } = console;
  await page.getByRole('textbox', { name: 'Question' }).fill(QUESTION);
  await page.keyboard.press('Enter');
  await page.getByText('At no', { exact: true }).waitFor();
  shown.resolve();
  await page.getByText('At noon <b>sharp</b>').waitFor();
  await page.getByRole('heading', { name: 'Sources' }).waitFor();
  t.deepEqual(await axeViolations(page), []);
  await page.getByRole('button', { name: /^Source 1: / }).click();
  await page.getByRole('dialog').locator('mark').getByText('The ferry to Ulva leaves at noon.').waitFor();
  await page.keyboard.press('Escape');

  const ended = Promise.withResolvers<void>();
  api.behave(() => endless(() => ended.resolve()));
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.getByText('on and on').first().waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Stopped.').waitFor();
  await ended.promise;
  t.deepEqual(problems, []);
});

test('questions can be asked in a new conversation, which the following ones continue', async (t) => {
  const [api, flow] = await Promise.all([startAnswerApi(), startFlow()]);
  t.teardown(() => api.close());
  const sent = await flow.upload(['content', 'The ferry to Ulva leaves at noon. Tickets are sold on board.']);
  api.behave(({ instructions }) =>
    instructions.startsWith('Rewrite') ? 'Are tickets sold on board?' : 'At noon [1].',
  );
  await using console = await openConsole({ apiKey: flow.key, path: '/ask', baseUrl: new URL(api.url).origin });
  const { page, problems } = console;
  await page.getByRole('combobox', { name: 'Conversation' }).click();
  await page.getByRole('option', { name: 'A new conversation' }).click();
  for (const question of [QUESTION, 'And where are tickets sold for the ferry?']) {
    await page.getByRole('textbox', { name: 'Question' }).fill(question);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: question }).waitFor();
    await page.getByRole('link', { name: 'Open the conversation' }).waitFor();
    t.is(await page.getByRole('combobox', { name: 'Conversation' }).inputValue(), QUESTION);
  }
  await page.getByText('Searched for: Are tickets sold on board?').waitFor();
  t.deepEqual(await axeViolations(page), []);
  api.behave(() => 'Phosphorylation of tyrosine kinases?');
  await page.getByRole('textbox', { name: 'Question' }).fill('And quarterly amortization of goodwill?');
  await page.keyboard.press('Enter');
  const nothing = page.getByRole('status').filter({ hasText: 'The documents say nothing about it' });
  await nothing.getByText('Searched for: Phosphorylation of tyrosine kinases?').waitFor();
  t.deepEqual(await axeViolations(page), []);
  await nothing.getByRole('link', { name: 'Open the conversation' }).click();
  await page.getByRole('heading', { name: QUESTION, level: 1 }).waitFor();
  await page.getByRole('listitem').filter({ hasText: 'And where are tickets sold' }).waitFor();
  const answers = page.getByRole('listitem').filter({ hasText: 'At noon' });
  t.is(await answers.count(), 2);
  const mark = answers.first().getByRole('button', { name: 'Source 1: open the passage' });
  await mark.click();
  await page.getByRole('dialog').locator('mark').getByText('The ferry to Ulva leaves at noon.').waitFor();
  t.deepEqual(await axeViolations(page), []);
  await page.keyboard.press('Escape');
  await flow.delete(sent.uploads[0]?.content_id ?? t.fail());
  await page.reload();
  await mark.click();
  await page.getByRole('dialog').getByText('This passage is no longer there').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Ask in this conversation' }).click();
  await page.getByRole('textbox', { name: 'Question' }).waitFor();
  t.is(await page.getByRole('combobox', { name: 'Conversation' }).inputValue(), QUESTION);
  t.deepEqual(problems, []);
});

test('a question that is stopped while its conversation is being started is not asked', async (t) => {
  const [api, flow] = await Promise.all([startAnswerApi(), startFlow()]);
  t.teardown(() => api.close());
  await using console = await openConsole({ apiKey: flow.key, path: '/ask', baseUrl: new URL(api.url).origin });
  const { page, problems } = console;
  const started = Promise.withResolvers<void>();
  await page.route('**/api/v1/conversations', async (route) => {
    await started.promise;
    await route.continue();
  });
  let asked = 0;
  page.on('request', (request) => (asked += request.url().endsWith('/api/v1/answers') ? 1 : 0));
  await page.getByRole('combobox', { name: 'Conversation' }).click();
  await page.getByRole('option', { name: 'A new conversation' }).click();
  await page.getByRole('textbox', { name: 'Question' }).fill(QUESTION);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Stop' }).click();
  const answered = page.waitForResponse((answer) => answer.request().method() === 'POST');
  started.resolve();
  t.is((await answered).status(), 201);
  await page.getByRole('button', { name: 'Ask', exact: true }).waitFor();
  t.is(asked, 0);
  t.deepEqual(problems, []);
});

const WRITTEN = `**At noon** [1]:

- On weekdays [1]
- ![a pixel](https://elsewhere.example/pixel.png) <img src="https://elsewhere.example/x" onerror="alert(1)">

| Day | Time |
| --- | --- |
| Monday | noon |

[Timetable](https://ferries.example/times), [prize](javascript:alert(1))

[1]: https://elsewhere.example
`;

test('the Markdown of an answer is shown without its tags and images, and answers stay while other pages are opened', async (t) => {
  const [api, flow] = await Promise.all([startAnswerApi(), startFlow()]);
  t.teardown(() => api.close());
  await flow.upload(['content', 'The ferry to Ulva leaves at noon. Tickets are sold on board.']);
  api.behave(() => WRITTEN);
  await using console = await openConsole({ apiKey: flow.key, path: '/ask', baseUrl: new URL(api.url).origin });
  const { page, problems } = console;
  const ask = async (question: string) => {
    await page.getByRole('textbox', { name: 'Question' }).fill(question);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: question }).waitFor();
    await page.getByRole('heading', { name: 'Sources' }).waitFor();
  };
  await ask(QUESTION);
  const main = page.getByRole('main');
  await main.locator('strong').getByText('At noon').waitFor();
  await main.getByRole('cell', { name: 'Monday' }).waitFor();
  await main
    .getByText('a pixel (elsewhere.example) < img src="https://elsewhere.example/x" onerror="alert(1)">')
    .waitFor();
  t.is(await main.locator('img, script').count(), 0);
  t.is(await main.getByRole('link', { name: 'Timetable' }).getAttribute('href'), 'https://ferries.example/times');
  await main.getByText('Timetable (ferries.example), prize').waitFor();
  t.is(await main.getByRole('link', { name: 'prize' }).count(), 0);
  await main.getByText(': https://elsewhere.example').waitFor();
  t.deepEqual(await axeViolations(page), []);
  await main
    .getByRole('listitem')
    .getByRole('button', { name: /^Source 1: / })
    .first()
    .click();
  await page.getByRole('dialog').locator('mark').getByText('The ferry to Ulva leaves at noon.').waitFor();
  await page.keyboard.press('Escape');

  api.behave(() => 'On board [1].');
  await ask('Where are tickets sold for the ferry?');
  await page.getByRole('navigation').getByRole('link', { name: 'Search' }).click();
  await page.getByRole('heading', { name: 'Search', level: 1 }).waitFor();
  await page.goBack();
  await main.getByText('On board').first().waitFor();
  const earlier = page.getByRole('region', { name: 'Asked before' });
  await earlier.getByRole('button', { name: QUESTION }).click();
  await earlier.locator('strong').getByText('At noon').waitFor();
  await earlier
    .getByRole('button', { name: /^Source 1: / })
    .first()
    .click();
  await page.getByRole('dialog').locator('mark').first().waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  t.deepEqual(await axeViolations(page), []);
  await earlier.getByRole('button', { name: 'Forget these' }).click();
  await earlier.waitFor({ state: 'detached' });
  t.deepEqual(problems, []);
});

async function* endless(onEnd: () => void): AsyncGenerator<string> {
  try {
    for (;;) {
      yield 'on and on ';
      await delay(50);
    }
  } finally {
    onEnd();
  }
}
