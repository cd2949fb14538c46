import type { ServerResponse } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { v7 as uuidv7 } from 'uuid';
import { createWebhookSender } from '#operations/webhooks/webhook-sender.ts';
import { newWebhookSecret } from '#operations/webhooks/webhook-secrets.ts';
import { query } from '#store/postgres.ts';
import { countDeliveries, openOwnSender } from '#test/support/harness/own-sender.ts';
import { startWebhookReceiver } from '#test/support/servers/webhook-receiver.ts';

/** Creates a webhook with `count` deliveries, whose receiver holds all responses until `answerGone` sends 410. */
async function open(t: ExecutionContext, count: number) {
  const own = await openOwnSender(t);
  const waiting: ServerResponse[] = [];
  const arrived = Promise.withResolvers<void>();
  const receiver = await startWebhookReceiver(t, (response) => {
    waiting.push(response);
    if (waiting.length === count) arrived.resolve();
  });
  const id = uuidv7();
  const { webhooks, webhookEvents } = own.services.stores;
  const fields = {
    url: `${receiver.origin}/hook`,
    origin: receiver.origin,
    description: null,
    events: null,
    collections: null,
    max_age_seconds: null,
    batch_size: 1,
    status: 'active' as const,
    disabled_reason: null,
  };
  const { sealed } = newWebhookSecret(own.services, own.scope, { webhookId: id });
  await webhooks.insert(own.scope, { ...fields, id, sealedSecret: sealed, createdBy: 'a test' });
  const event = { webhookId: id, type: 'webhook.test' as const, data: {} };
  await Promise.all(Array.from({ length: count }, () => webhookEvents.announceToWebhook(own.scope, event)));
  const sender = createWebhookSender(own.services);
  await sender.sendDue();
  await arrived.promise;
  return {
    ...own,
    move: () => webhooks.update(own.scope, id, { ...fields, url: `${receiver.origin}/new` }),
    webhook: () => webhooks.find(own.scope, id),
    /** Answers all messages with 410 and waits until the results are recorded. */
    answerGone: async () => {
      for (const response of waiting) response.writeHead(410).end();
      await sender.drain();
    },
  };
}

test('several concurrent 410 responses are all recorded and disable the webhook', async (t) => {
  const own = await open(t, 4);
  await own.answerGone();
  t.like(await own.webhook(), { status: 'disabled', disabled_reason: 'gone' });
  t.is(await countDeliveries(own.database, 'failed'), 4);
  const attempts = await query(own.database, 'select status_code from webhook_attempts where finished_at is not null');
  t.deepEqual(
    attempts,
    Array.from({ length: 4 }, () => ({ status_code: 410 })),
  );
});

test('a 410 from the previous URL of a webhook does not disable it', async (t) => {
  const own = await open(t, 1);
  await own.move();
  await own.answerGone();
  t.like(await own.webhook(), { status: 'active', disabled_reason: null });
});
