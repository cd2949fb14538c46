import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import { Webhook as Verifier } from 'standardwebhooks';
import { z } from 'zod';
import { Webhook } from '#domain/records/webhook.ts';
import { WebhookDeliveryDetail } from '#domain/records/webhook-delivery.ts';
import type { ApiClient } from '#test/support/harness/api-client.ts';
import type { Flow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';
import { DOWNLOAD_ADDRESS } from '#test/support/harness/stack.ts';

/** A received message. */
export type Received = {
  path: string;
  id: string;
  headers: Record<string, string>;
  body: string;
  event: z.infer<typeof WebhookEventBody>;
};

/** The body of a message: `{type, timestamp, data}`. */
export const WebhookEventBody = z.strictObject({
  type: z.string(),
  timestamp: z.iso.datetime(),
  data: z.record(z.string(), z.unknown()),
});

/** Handles one attempt; `number` counts the attempts of the same message, from 1. */
export type Answering = (response: ServerResponse, attempt: { number: number; received: Received }) => void;

export type WebhookReceiver = {
  origin: string;
  /** All messages in order of arrival. */
  received: Received[];
  close(): Promise<void>;
};

export const answer =
  (status: number, headers: Record<string, string> = {}): Answering =>
  (response) =>
    void response.writeHead(status, headers).end();

/** Starts a webhook receiver at the address that the stack may reach; by default it answers 204. Stops at the end of the test. */
export async function startWebhookReceiver(
  t: Pick<ExecutionContext, 'teardown'>,
  answering: Answering = answer(204),
): Promise<WebhookReceiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const message = await readMessage(request);
      received.push(message);
      const number = received.filter(({ id }) => id === message.id).length;
      answering(response, { number, received: message });
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, DOWNLOAD_ADDRESS, resolve));
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  t.teardown(close);
  return { origin: `http://${DOWNLOAD_ADDRESS}:${port}`, received, close };
}

/** Returns the event if a signature matches the secret. @throws WebhookVerificationError of the published library */
export function verified(secret: string | null, { body, headers }: Received): unknown {
  return new Verifier(secret ?? '').verify(body, headers);
}

/**
 * Waits until an upload of four contents is complete and asserts that `upload.completed` is delivered once: the event of a later
 * upload arrives, and no second one of the first.
 */
export async function assertToldOnce(
  t: ExecutionContext,
  { flow, receiver, uploadId }: { flow: Flow; receiver: WebhookReceiver; uploadId: string | null },
): Promise<void> {
  const [message] = await until(
    async () => receiver.received,
    (received) => received.length > 0,
  );
  const progress = { total: 4, settled: 4, percent: 100 };
  t.like(message?.event.data, { upload_id: uploadId, status: 'completed', progress });
  await flow.upload(['content', 'What comes after it is told after it.']);
  const told = await until(
    async () => receiver.received,
    (received) => received.some(({ event }) => event.data['upload_id'] !== uploadId),
  );
  t.is(told.filter(({ event }) => event.data['upload_id'] === uploadId).length, 1);
}

/** Creates a webhook with this URL. */
export function createWebhook(api: ApiClient, url: string, fields: object = {}): Promise<Webhook> {
  return api.post('/webhooks', Webhook, { json: { url, ...fields }, status: 201 });
}

/** Waits until a delivery has been delivered or has failed. Returns it with its attempts. */
export function deliveryOver(api: ApiClient, id: string): Promise<WebhookDeliveryDetail> {
  return until(
    () => api.get(`/webhook-deliveries/${id}`, WebhookDeliveryDetail),
    ({ status }) => status === 'delivered' || status === 'failed',
  );
}

async function readMessage(request: IncomingMessage): Promise<Received> {
  const parts: Uint8Array[] = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts).toString();
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const id = headers['webhook-id'] ?? '';
  return { path: request.url ?? '', id, headers, body, event: WebhookEventBody.parse(JSON.parse(body)) };
}
