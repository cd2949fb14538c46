import type { ServerResponse } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { v7 as uuidv7 } from 'uuid';
import { createWebhookSender } from '#operations/webhooks/webhook-sender.ts';
import { newWebhookSecret } from '#operations/webhooks/webhook-secrets.ts';
import { query } from '#store/postgres.ts';
import { until } from '#test/support/harness/eventually.ts';
import { countDeliveries, openOwnSender } from '#test/support/harness/own-sender.ts';
import { startWebhookReceiver } from '#test/support/servers/webhook-receiver.ts';

/** Creates a webhook with `count` deliveries, whose receiver holds all responses until `answerAll` sends them. */
async function open(t: ExecutionContext, count: number) {
  const own = await openOwnSender(t);
  const waiting: ServerResponse[] = [];
  const arrived = Promise.withResolvers<void>();
  const receiver = await startWebhookReceiver(t, (response) => {
    waiting.push(response);
    if (receiver.received.length === count) arrived.resolve();
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
    receiver,
    sender,
    move: () => webhooks.update(own.scope, id, { ...fields, url: `${receiver.origin}/new` }),
    webhook: () => webhooks.find(own.scope, id),
    /** Answers all messages and waits until the results are recorded. */
    answerAll: async (status: number) => {
      for (const response of waiting.splice(0)) response.writeHead(status).end();
      await sender.drain();
    },
  };
}

test('several concurrent 410 responses are all recorded and disable the webhook', async (t) => {
  const own = await open(t, 4);
  await own.answerAll(410);
  t.like(await own.webhook(), { status: 'disabled', disabled_reason: 'gone' });
  t.is(await countDeliveries(own.database, 'failed'), 4);
  const attempts = await query(own.database, 'select status_code from webhook_attempts where finished_at is not null');
  t.deepEqual(
    attempts,
    Array.from({ length: 4 }, () => ({ status_code: 410 })),
  );
});

for (const status of [410, 404, 503]) {
  test(`a ${status} from the previous URL of a webhook says nothing about the new one, which gets the message at once`, async (t) => {
    const own = await open(t, 1);
    await own.move();
    await own.answerAll(status);
    t.like(await own.webhook(), { status: 'active', disabled_reason: null });
    t.deepEqual(await query(own.database, 'select from webhook_receivers'), []);
    t.is(await own.sender.sendDue(), 1);
    await until(
      async () => own.receiver.received.map(({ path }) => path),
      ([, path]) => path === '/new',
    );
    await own.answerAll(204);
    const rows = await query(own.database, 'select status, attempts, round_attempts from webhook_deliveries');
    t.deepEqual(rows, [{ status: 'delivered', attempts: 2, round_attempts: 1 }], 'the first attempt does not count');
    const codes = await query(own.database, 'select status_code from webhook_attempts order by number');
    t.deepEqual(codes, [{ status_code: status }, { status_code: 204 }]);
  });
}
