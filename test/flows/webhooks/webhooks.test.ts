import test from 'ava';
import { z } from 'zod';
import { Webhook, WorkspaceWebhookSecret } from '#domain/records/webhook.ts';
import { WebhookDelivery, WebhookDeliveryList } from '#domain/records/webhook-delivery.ts';
import { announceToUrl } from '#operations/webhooks/announce-event.ts';
import { asDescribed } from '#test/support/fixtures/as-described.ts';
import { apiClient, createKey, freshClient } from '#test/support/harness/api-client.ts';
import { openInsides, startFlow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';
import { htmlPage, startSite } from '#test/support/servers/site-server.ts';
import { TEST_WEBHOOK_WAITS_S } from '#test/support/harness/stack.ts';
import {
  answer,
  createWebhook,
  deliveryOver,
  startWebhookReceiver,
  verified,
  assertToldOnce,
  WebhookEventBody,
  type Received,
} from '#test/support/servers/webhook-receiver.ts';

test('the events of an upload are delivered with signatures that the published library verifies', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const flow = await startFlow();
  const events = ['content.ready', 'content.failed', 'upload.completed'];
  const webhook = await createWebhook(flow.api, `${receiver.origin}/hook?tenant=1`, { events });
  const upload = await flow.upload(
    ['files', new File(['Barley grows on the hill.'], 'good.txt')],
    ['files', new File(['%PDF-1.7 and then nothing of the kind'], 'bad.pdf')],
  );
  const messages = await until(
    async () => receiver.received,
    (received) => received.length >= 3,
  );
  const idOf = (name: string) => upload.uploads.find((item) => item.name === name)?.content_id;
  const told = new Map(messages.map((message) => [message.event.type, message.event.data]));
  t.like(told.get('content.ready'), {
    content_id: idOf('good.txt'),
    collection_id: flow.collectionId,
    upload_id: upload.upload_id,
    name: 'good.txt',
    status: 'ready',
    chunks: 1,
  });
  t.like(told.get('content.failed'), { content_id: idOf('bad.pdf'), status: 'failed', code: 'unreadable' });
  t.like(told.get('upload.completed'), {
    upload_id: upload.upload_id,
    status: 'completed_with_errors',
    progress: { total: 2, settled: 2, percent: 100, by_status: { ready: 1, failed: 1 }, chunks: 1 },
  });
  for (const message of messages) {
    t.deepEqual(verified(webhook.secret, message), message.event);
    t.deepEqual(asDescribed(message.event), message.event);
    t.is(message.path, '/hook?tenant=1');
    t.is(message.headers['content-type'], 'application/json');
    t.throws(() => verified(webhook.secret, { ...message, body: `${message.body} ` }));
  }
  const log = await until(
    () => flow.api.get(`/webhook-deliveries?webhook_id=${webhook.id}`, WebhookDeliveryList),
    ({ data }) => data.every(({ status }) => status === 'delivered'),
  );
  t.deepEqual(log.data.map(({ id }) => id).toSorted(), messages.map(({ id }) => id).toSorted());
  t.deepEqual([log.data[0]?.attempts.length, log.data[0]?.attempts[0]?.status_code], [1, 204]);
  t.is(log.data[0]?.url, `${receiver.origin}/hook`);
});

test('an upload with crawls sends one completion event, after its last crawl', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const site = await startSite({ '/': htmlPage('start', ['/a']), '/a': htmlPage('a'), '/two': htmlPage('two') });
  t.teardown(site.close);
  const flow = await startFlow();
  await createWebhook(flow.api, `${receiver.origin}/hook`, { events: ['upload.completed'] });
  const { upload_id } = await flow.send(
    ['urls', JSON.stringify([`${site.origin}/`, `${site.origin}/two`])],
    ['crawl', 'true'],
    ['content', 'A text beside the crawls.'],
  );
  await assertToldOnce(t, { flow, receiver, uploadId: upload_id });
});

test('a webhook without event types gets no content events, and one limited to a collection gets no events of others', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const flow = await startFlow();
  const other = await flow.api.createCollection('other');
  await createWebhook(flow.api, `${receiver.origin}/all`);
  await createWebhook(flow.api, `${receiver.origin}/other`, { collections: [other.id], events: ['upload.completed'] });
  await flow.upload(['content', 'Only the whole of it is told.']);
  await flow.api.upload(other.id, [['content', 'This is told twice.']]);
  const messages = await until(
    async () => receiver.received,
    (received) => received.length >= 3,
  );
  const told = messages.map(({ path, event }) => `${path} ${event.type} ${String(event.data['collection_id'])}`);
  t.deepEqual(told.toSorted(), [
    ...[flow.collectionId, other.id].map((id) => `/all upload.completed ${id}`).toSorted(),
    `/other upload.completed ${other.id}`,
  ]);
});

test('a webhook with a batch size gets content events together, whatever the number of messages', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const flow = await startFlow();
  const webhook = await createWebhook(flow.api, receiver.origin, { events: ['content.ready'], batch_size: 5 });
  const { uploads } = await flow.upload(
    ...Array.from({ length: 12 }, (_, number) => ['content', `Text ${number} of a batch.`] as const),
  );
  const Events = z.array(WebhookEventBody);
  const eventsOf = (messages: readonly Received[]) =>
    messages.flatMap(({ event }) => Events.parse(event.data['events']));
  const messages = await until(
    async () => receiver.received,
    (received) => eventsOf(received).length >= 12,
  );
  for (const message of messages) {
    t.deepEqual(verified(webhook.secret, message), message.event);
    t.deepEqual(asDescribed(message.event), message.event);
    t.is(message.event.type, 'content.ready');
    t.true(Events.parse(message.event.data['events']).length <= 5);
  }
  const told = eventsOf(messages).map(({ data }) => String(data['content_id']));
  t.deepEqual(told.toSorted(), uploads.map((item) => item.content_id).toSorted());
});

test('a failed delivery is repeated with the same id and bytes until the receiver accepts it', async (t) => {
  const receiver = await startWebhookReceiver(t, (response, attempt) =>
    answer(attempt.number < 4 ? 500 : 200)(response, attempt),
  );
  const api = await freshClient();
  const webhook = await createWebhook(api, receiver.origin);
  const { id } = await api.post(`/webhooks/${webhook.id}/test`, WebhookDelivery, { status: 202 });
  const delivery = await deliveryOver(api, id);
  t.deepEqual(
    [delivery.status, delivery.attempts.map(({ status_code }) => status_code)],
    ['delivered', [500, 500, 500, 200]],
  );
  t.deepEqual(
    receiver.received.map((message) => message.id),
    [id, id, id, id],
  );
  t.is(new Set(receiver.received.map(({ body }) => body)).size, 1);
  for (const message of receiver.received) t.deepEqual(verified(webhook.secret, message), delivery.payload);
});

test('both secrets sign for a day after a rotation', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const api = await freshClient();
  const webhook = await createWebhook(api, receiver.origin);
  const rotated = await api.post(`/webhooks/${webhook.id}/rotate`, Webhook);
  t.not(rotated.secret, webhook.secret);
  const hoursLeft = (Date.parse(rotated.previous_secret_expires_at ?? '') - Date.now()) / 3_600_000;
  t.true(hoursLeft > 23 && hoursLeft < 25);
  const send = async () => {
    const { id } = await api.post(`/webhooks/${webhook.id}/test`, WebhookDelivery, { status: 202 });
    await deliveryOver(api, id);
    const message = receiver.received.find((one) => one.id === id);
    if (!message) throw new Error('no message was received');
    return message;
  };
  const both = await send();
  t.is(both.headers['webhook-signature']?.split(' ').length, 2);
  for (const secret of [webhook.secret, rotated.secret]) t.deepEqual(verified(secret, both), both.event);
  const { database } = openInsides(t);
  await database.raw(`update webhook_endpoints set previous_secret_until = now() where id = ?`, [webhook.id]);
  const one = await send();
  t.deepEqual(verified(rotated.secret, one), one.event);
  t.throws(() => verified(webhook.secret, one));
  t.is((await api.get(`/webhooks/${webhook.id}`, Webhook)).previous_secret_expires_at, null);
});

test('deliveries to the webhook_url of a request are signed with the secret of the workspace', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const api = await freshClient();
  const { stores } = openInsides(t);
  const scope = { workspaceId: api.workspaceId, collectionIds: null };
  const send = async () => {
    const event = { url: `${receiver.origin}/once`, type: 'compress.completed' as const, data: { job_id: 'x' } };
    const id = await announceToUrl(stores, scope, event);
    t.like(await deliveryOver(api, id), { status: 'delivered', webhook_id: null });
    const message = receiver.received.find((one) => one.id === id);
    if (!message) throw new Error('no message was received');
    return message;
  };
  const first = await send();
  const path = `/workspaces/${api.workspaceId}/webhook-secret`;
  const { secret } = await api.get(path, WorkspaceWebhookSecret);
  t.deepEqual(verified(secret, first), first.event);
  const rotated = await api.post(`${path}/rotate`, WorkspaceWebhookSecret);
  const limits = { workspaceId: api.workspaceId, permissions: ['webhooks:read'] };
  const reader = apiClient((await createKey(limits)).key);
  const shown = await reader.fail(`/webhook-deliveries/${first.id}`);
  t.is(shown.status, 403, 'reading deliveries requires the permission');
  t.regex(JSON.stringify(shown.body), /compress:read/);
  const second = await send();
  for (const each of [secret, rotated.secret]) t.deepEqual(verified(each, second), second.event);
});

test('a delivery fails after its last attempt, is shown in the log, and can be redelivered', async (t) => {
  let status = 503;
  const receiver = await startWebhookReceiver(t, (response, attempt) => answer(status)(response, attempt));
  const api = await freshClient();
  const webhook = await createWebhook(api, receiver.origin);
  const { id } = await api.post(`/webhooks/${webhook.id}/test`, WebhookDelivery, { status: 202 });
  const failed = await deliveryOver(api, id);
  t.is(failed.status, 'failed');
  t.regex(failed.status_message ?? '', /All 10 attempts failed/);
  t.deepEqual(
    failed.attempts.map(({ number, status_code }) => [number, status_code]),
    TEST_WEBHOOK_WAITS_S.map((_, index) => [index + 1, 503]),
  );
  t.is(receiver.received.length, TEST_WEBHOOK_WAITS_S.length);
  t.is(new Set(receiver.received.map((message) => `${message.id} ${message.body}`)).size, 1);

  status = 200;
  const again = await api.post(`/webhook-deliveries/${id}/redeliver`, WebhookDelivery, { status: 202 });
  t.is(again.status, 'pending');
  t.is((await deliveryOver(api, id)).status, 'delivered');
  t.is(receiver.received.length, TEST_WEBHOOK_WAITS_S.length + 1);
  t.is(receiver.received.at(-1)?.body, receiver.received[0]?.body);
});
