import test from 'ava';
import { Webhook } from '#domain/records/webhook.ts';
import { HOSTILE_TEXTS } from '#test/support/fixtures/hostile-texts.ts';
import { createKey, freshClient } from '#test/support/harness/api-client.ts';
import { until } from '#test/support/harness/eventually.ts';
import { DOWNLOAD_ADDRESS } from '#test/support/harness/stack.ts';
import { answer, createWebhook, startWebhookReceiver, verified } from '#test/support/servers/webhook-receiver.ts';
import { axeViolations, openConsole, widthBeyondWindow } from './open-console.ts';

const NARROW = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' as const };
/** As many different deliveries that fail make a receiver count as broken. */
const DELIVERIES = 6;

test('a webhook is created, tested, disabled by its receiver, enabled, redelivered to, rotated and deleted', async (t) => {
  let status = 204;
  const receiver = await startWebhookReceiver(t, (response, attempt) => answer(status)(response, attempt));
  const { key } = await createKey();
  await using console = await openConsole({ apiKey: key, path: '/webhooks' });
  const { page, problems } = console;
  const dialog = page.getByRole('dialog');
  const url = `${receiver.origin}/hook`;
  await page.getByText('No webhook yet').waitFor();
  await page.getByRole('button', { name: 'New webhook' }).first().click();
  await dialog.getByLabel('Address').fill('nonsense');
  await dialog.getByLabel('What I choose').check();
  await dialog.getByLabel('Content failed').check();
  await dialog.getByLabel('Contents in a message').fill('5');
  await dialog.getByRole('button', { name: 'Create webhook' }).click();
  await dialog.getByText('Must be a complete http or https URL').waitFor();
  await dialog.getByLabel('Address').fill(url);
  t.deepEqual(await axeViolations(page), []);
  await dialog.getByRole('button', { name: 'Create webhook' }).click();
  const secretField = dialog.getByLabel('Secret of the webhook', { exact: true });
  const first = await secretField.inputValue();
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await dialog.waitFor({ state: 'detached' });
  t.false((await page.content()).includes(first));
  t.regex(await page.getByRole('row', { name: url }).innerText(), /Content failed[\s\S]*Working/);

  const choose = async (action: string) => {
    await page.getByRole('button', { name: `Actions of ${url}` }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  const rows = page.getByRole('row', { name: /Test/ });
  await choose('Send a test event');
  await rows.getByText('Delivered').last().waitFor();
  t.deepEqual(verified(first, receiver.received[0] ?? t.fail()), receiver.received[0]?.event);
  status = 410;
  await page.getByRole('button', { name: 'Send a test event' }).click();
  await page.getByText('The receiver answered 410 (Gone). Nothing is sent.').last().waitFor();
  await page.getByRole('combobox', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'Failed' }).click();
  // Until the list has been read, the one before it is shown.
  await rows.nth(1).waitFor({ state: 'detached' });
  await rows.getByText('HTTP 410').last().waitFor();
  t.is(await rows.count(), 1);
  t.is(await page.getByRole('button', { name: /^Send/ }).count(), 0, 'a disabled webhook is sent nothing');
  t.deepEqual(await axeViolations(page), []);

  status = 204;
  await choose('Enable');
  const attempts = page.getByRole('button', { name: /^Test, .*: attempts$/ });
  await attempts.click();
  await dialog.getByRole('button', { name: 'Send again' }).click();
  // It leaves the list of those that failed, and stays open.
  await page.getByText('No delivery matches').waitFor();
  await dialog.getByText('Delivered').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Show all deliveries' }).click();
  await attempts.first().click();
  await dialog.getByText('"webhook.test"').waitFor();
  await dialog.getByText('Delivered').waitFor();
  t.regex(await dialog.innerText(), /HTTP 204[\s\S]*HTTP 410/);
  t.deepEqual(await axeViolations(page), []);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  await choose('New secret');
  await dialog.getByRole('button', { name: 'New secret' }).click();
  const second = await secretField.inputValue();
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByText('The previous secret still signs until').first().waitFor();
  await page.getByRole('button', { name: 'Send a test event' }).click();
  const last =
    (
      await until(
        async () => receiver.received,
        ({ length }) => length === 4,
      )
    )[3] ?? t.fail();
  t.deepEqual([verified(first, last), verified(second, last)], [last.event, last.event]);
  await choose('Delete');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No webhook yet').waitFor();

  await page.getByRole('link', { name: 'All deliveries' }).click();
  await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor();
  await rows.filter({ hasText: receiver.origin }).first().waitFor();
  t.deepEqual(await axeViolations(page), []);
  await page
    .getByRole('button', { name: /^Test, .*: attempts$/ })
    .first()
    .click();
  await dialog.getByText(`Sent to ${receiver.origin}`).waitFor();
  await dialog.getByRole('button', { name: 'Send again' }).click();
  await page.getByText('The webhook of this delivery is deleted or disabled').waitFor();
  t.deepEqual(problems, []);
});

test('hostile webhooks and a broken one are shown at 390 px, and a key that only reads is offered nothing else', async (t) => {
  const api = await freshClient();
  const origin = `http://${DOWNLOAD_ADDRESS}:1`;
  const broken = await createWebhook(api, `${origin}/broken`);
  for (const text of HOSTILE_TEXTS) await createWebhook(api, `${origin}/${text}`, { description: text.slice(0, 255) });
  for (let number = 1; number <= DELIVERIES; number += 1) {
    t.is((await api.send(`/webhooks/${broken.id}/test`, { method: 'POST' })).status, 202);
  }
  await until(
    () => api.get(`/webhooks/${broken.id}`, Webhook),
    ({ delivery_state: state }) => state === 'failing',
  );
  const reader = await createKey({ workspaceId: api.workspaceId, permissions: ['webhooks:read'] });
  await using console = await openConsole({ apiKey: reader.key, path: '/webhooks', browser: NARROW });
  const { page, problems } = console;
  await page.getByRole('link', { name: `${origin}/${HOSTILE_TEXTS[0]}` }).waitFor();
  t.is(await page.getByRole('row').count(), HOSTILE_TEXTS.length + 2);
  t.regex(
    await page.getByRole('row', { name: '/broken' }).innerText(),
    /Broken\s+No attempt succeeded since[\s\S]*Next try: [\s\S]*deliver(y|ies) waits?/,
  );
  t.is(await page.getByRole('button', { name: /New webhook|Actions of/ }).count(), 0);
  t.is(await widthBeyondWindow(page), 0);
  t.deepEqual(await axeViolations(page), []);

  await page.getByRole('link', { name: `${origin}/broken` }).click();
  await page.getByRole('row', { name: /Test/ }).first().waitFor();
  await page.getByText('The receiver does not work. Its deliveries wait in order until it does.').first().waitFor();
  t.is(await page.getByRole('button', { name: /Send|Actions of/ }).count(), 0);
  t.is(await widthBeyondWindow(page), 0);
  t.deepEqual(await axeViolations(page), []);
  t.deepEqual(problems, []);
});
