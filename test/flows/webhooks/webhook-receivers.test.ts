import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { Webhook } from '#domain/records/webhook.ts';
import { WebhookDelivery, WebhookDeliveryDetail } from '#domain/records/webhook-delivery.ts';
import { freshClient, type ApiClient } from '#test/support/harness/api-client.ts';
import { until } from '#test/support/harness/eventually.ts';
import {
  answer,
  createWebhook,
  deliveryOver,
  startWebhookReceiver,
  type Answering,
} from '#test/support/servers/webhook-receiver.ts';

const GIB = 1024 ** 3;

/** Sends a test event to a receiver with this behaviour. */
async function sendTo(t: ExecutionContext, answering: Answering) {
  const receiver = await startWebhookReceiver(t, answering);
  const api = await freshClient();
  const webhook = await createWebhook(api, `${receiver.origin}/hook`);
  const { id } = await api.post(`/webhooks/${webhook.id}/test`, WebhookDelivery, { status: 202 });
  return { receiver, api, webhook, id };
}

/** Waits for the end of the first attempt and returns it. */
async function firstAttempt(api: ApiClient, id: string) {
  const delivery = await until(
    () => api.get(`/webhook-deliveries/${id}`, WebhookDeliveryDetail),
    ({ attempts }) => typeof attempts[0]?.finished_at === 'string',
  );
  return delivery.attempts[0];
}

const closed = (response: ServerResponse) => new Promise<void>((resolve) => void response.once('close', resolve));

test('a delivery to a receiver that never answers times out and is retried', async (t) => {
  const { api, webhook, id } = await sendTo(t, () => undefined);
  const attempt = await firstAttempt(api, id);
  t.is(attempt?.status_code, null);
  t.regex(attempt?.error ?? '', /took longer than the limit of 5 s|did not answer/);
  // Avoids waiting for the other nine attempts.
  await api.get(`/webhooks/${webhook.id}`, Webhook, { method: 'PATCH', json: { status: 'disabled' } });
  const over = await deliveryOver(api, id);
  t.regex(over.status_message ?? '', /disabled/);
});

test('a slow response body is not waited for once the status has arrived', async (t) => {
  const closings: Promise<void>[] = [];
  const { api, id } = await sendTo(t, (response) => {
    closings.push(closed(response));
    response.writeHead(200);
    const drip = setInterval(() => response.write('.'), 50);
    response.once('close', () => clearInterval(drip));
  });
  t.is((await deliveryOver(api, id)).status, 'delivered');
  t.is(closings.length, 1);
  await closings[0];
});

test('a response body of 1 GB is not stored, and little of it is read', async (t) => {
  const written: Promise<number>[] = [];
  const { api, id } = await sendTo(t, (response) => {
    const { socket } = response;
    written.push(closed(response).then(() => socket?.bytesWritten ?? 0));
    response.writeHead(200, { 'content-length': GIB });
    const piece = Buffer.alloc(64 * 1024);
    const pump = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', pump);
    pump();
  });
  t.is((await deliveryOver(api, id)).status, 'delivered');
  t.is(written.length, 1);
  const bytes = (await written[0]) ?? GIB;
  t.true(bytes < 32 * 1024 * 1024, `${bytes} bytes were sent to socket buffers`);
});

test('a response with an unknown compression is judged by its status', async (t) => {
  const { api, id } = await sendTo(t, answer(200, { 'content-encoding': 'nonsense' }));
  t.deepEqual((await deliveryOver(api, id)).attempts.length, 1);
});

test('a redirect fails the attempt and is not followed', async (t) => {
  const visits: string[] = [];
  const inside = createServer((request, response) => {
    visits.push(request.url ?? '');
    response.end();
  });
  await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
  t.teardown(() => void inside.close());
  const { port } = inside.address() as AddressInfo; // a TCP server that listens has one
  const { api, id } = await sendTo(t, answer(307, { location: `http://127.0.0.1:${port}/inside` }));
  const redirected = await deliveryOver(api, id);
  t.is(redirected.status, 'failed');
  t.deepEqual([...new Set(redirected.attempts.map(({ status_code }) => status_code))], [307]);

  const direct = await createWebhook(api, `http://127.0.0.1:${port}/inside`);
  const sent = await api.post(`/webhooks/${direct.id}/test`, WebhookDelivery, { status: 202 });
  const refused = await deliveryOver(api, sent.id);
  t.is(refused.status, 'failed');
  t.regex(refused.attempts[0]?.error ?? '', /Refused .* loopback/);
  t.deepEqual(visits, []);
});

test('a 410 disables the webhook and ends its pending deliveries', async (t) => {
  let status = 500;
  const receiver = await startWebhookReceiver(t, (response, attempt) => answer(status)(response, attempt));
  const api = await freshClient();
  const webhook = await createWebhook(api, receiver.origin);
  const send = () => api.post(`/webhooks/${webhook.id}/test`, WebhookDelivery, { status: 202 });
  const [first] = [await send()];
  await until(
    () => api.get(`/webhook-deliveries/${first.id}`, WebhookDelivery),
    ({ attempts }) => attempts.length > 0,
  );
  status = 410;
  const second = await send().catch(() => null);
  for (const id of [first.id, ...(second ? [second.id] : [])]) t.is((await deliveryOver(api, id)).status, 'failed');
  t.like(await api.get(`/webhooks/${webhook.id}`, Webhook), { status: 'disabled', disabled_reason: 'gone' });
  for (const path of [`/webhooks/${webhook.id}/test`, `/webhook-deliveries/${first.id}/redeliver`]) {
    t.is((await api.fail(path, { method: 'POST' })).status, 409, path);
  }

  status = 200;
  const enabled = await api.get(`/webhooks/${webhook.id}`, Webhook, { method: 'PATCH', json: { status: 'active' } });
  t.deepEqual([enabled.status, enabled.disabled_reason], ['active', null]);
  await api.post(`/webhook-deliveries/${first.id}/redeliver`, WebhookDelivery, { status: 202 });
  t.is((await deliveryOver(api, first.id)).status, 'delivered');
});

test('Retry-After of a receiver delays the next attempt', async (t) => {
  const { api, id } = await sendTo(t, (response, attempt) =>
    answer(attempt.number === 1 ? 429 : 200, { 'retry-after': '2' })(response, attempt),
  );
  const { status, attempts } = await deliveryOver(api, id);
  t.deepEqual([status, attempts.map(({ status_code }) => status_code)], ['delivered', [429, 200]]);
  const [first, second] = attempts;
  const waitedMs = Date.parse(second?.started_at ?? '') - Date.parse(first?.finished_at ?? '');
  t.true(waitedMs >= 2_000, `${waitedMs} ms`);
});

test('pending deliveries are sent to the new URL of a webhook', async (t) => {
  const { api, webhook, id } = await sendTo(t, answer(500));
  const better = await startWebhookReceiver(t);
  await api.get(`/webhooks/${webhook.id}`, Webhook, { method: 'PATCH', json: { url: better.origin } });
  const { status } = await deliveryOver(api, id);
  if (status === 'failed') await api.post(`/webhook-deliveries/${id}/redeliver`, WebhookDelivery, { status: 202 });
  t.is((await deliveryOver(api, id)).status, 'delivered');
  t.deepEqual(
    better.received.map((message) => message.id),
    [id],
  );
});
