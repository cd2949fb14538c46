import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from '#domain/records/webhook.ts';
import { WebhookDelivery, WebhookDeliveryList } from '#domain/records/webhook-delivery.ts';
import type { Flow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';
import { DOWNLOAD_ADDRESS } from '#test/support/harness/stack.ts';
import { CANARIES } from './canaries.ts';
import type { Scenario } from './scenario.ts';

/** Scenarios with webhook deliveries whose first attempt fails: one is delivered later, and one fails. */
export const webhookScenarios = {
  delivered: {
    runs: { deliverWebhook: 1 },
    keep: ['deliverWebhook'],
    shows: { deliverWebhook: ['TIMER_STARTED', 'ACTIVITY_TASK_COMPLETED'] },
    play: (flow) => playWebhook(flow, (attempt) => (attempt < 3 ? 500 : 204)),
  },
  exhausted: {
    runs: { deliverWebhook: 1 },
    keep: ['deliverWebhook'],
    play: (flow) => playWebhook(flow, () => 503),
  },
} satisfies Record<string, Scenario>;

/** Runs `play` with a webhook receiver whose response to the n-th attempt has the status `answer(n)`. */
async function withReceiver(
  answer: (attempt: number) => number,
  play: (url: string) => Promise<unknown>,
): Promise<void> {
  let attempts = 0;
  const server = createServer((request, response) => {
    attempts += 1;
    request.resume();
    response.writeHead(answer(attempts)).end(CANARIES.download);
  });
  await new Promise<void>((resolve) => server.listen(0, DOWNLOAD_ADDRESS, resolve));
  try {
    const { port } = server.address() as AddressInfo; // a TCP server that listens has one
    await play(`http://${DOWNLOAD_ADDRESS}:${port}/${CANARIES.url_path}?${CANARIES.url_query}=1`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const allOver = (deliveries: WebhookDeliveryList) =>
  deliveries.data.length > 0 && deliveries.data.every(({ status }) => status === 'delivered' || status === 'failed');

/**
 * Runs something that sends an event, and waits until it is delivered. The first attempt always fails, so that every delivery has
 * a workflow: with a workflow only for slow receivers, the number of workflows would depend on timing.
 */
export function withRetriedWebhook({ api }: Flow, play: (url: string) => Promise<unknown>): Promise<void> {
  return withReceiver(
    (attempt) => (attempt < 2 ? 500 : 204),
    async (url) => {
      await play(url);
      await until(() => api.get('/webhook-deliveries', WebhookDeliveryList), allOver);
    },
  );
}

function playWebhook({ api }: Flow, answer: (attempt: number) => number): Promise<void> {
  return withReceiver(answer, async (url) => {
    const json = { url, description: CANARIES.description };
    const webhook = await api.post('/webhooks', Webhook, { json, status: 201 });
    await api.post(`/webhooks/${webhook.id}/test`, WebhookDelivery, { status: 202 });
    await until(() => api.get('/webhook-deliveries', WebhookDeliveryList), allOver);
  });
}
