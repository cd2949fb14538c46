import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from '#domain/records/webhook.ts';
import { WebhookDelivery, WebhookDeliveryList } from '#domain/records/webhook-delivery.ts';
import type { Flow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';
import { DOWNLOAD_ADDRESS } from '#test/support/harness/stack.ts';
import { CANARIES } from './canaries.ts';
import type { Scenario } from './scenario.ts';

/** Deliveries to one receiver: more than failures in a row make it count as broken. */
const DELIVERIES = 8;

/** Scenarios with a broken receiver: one that works again after some probes, and one whose webhook is deleted. */
export const webhookScenarios = {
  'works-again': {
    runs: { deliverToReceiver: 1 },
    keep: ['deliverToReceiver'],
    shows: { deliverToReceiver: ['TIMER_STARTED', 'ACTIVITY_TASK_COMPLETED', 'WORKFLOW_EXECUTION_COMPLETED'] },
    play: (flow) => playBroken(flow, (attempt) => (attempt < 9 ? 500 : 204), untilAllOver),
  },
  'webhook-deleted': {
    runs: { deliverToReceiver: 1 },
    keep: ['deliverToReceiver'],
    shows: { deliverToReceiver: ['WORKFLOW_EXECUTION_SIGNALED'] },
    play: (flow) =>
      playBroken(
        flow,
        () => 503,
        async ({ api }, id) => {
          await until(
            () => api.get(`/webhooks/${id}`, Webhook),
            ({ delivery_state: state }) => state === 'failing',
          );
          await api.send(`/webhooks/${id}`, { method: 'DELETE' });
        },
      ),
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

const untilAllOver = ({ api }: Flow) => until(() => api.get('/webhook-deliveries', WebhookDeliveryList), allOver);

/** Runs something that sends an event to this URL, and waits until it is delivered. */
export function withWebhook(flow: Flow, play: (url: string) => Promise<unknown>): Promise<void> {
  return withReceiver(
    () => 204,
    async (url) => {
      await play(url);
      await untilAllOver(flow);
    },
  );
}

function playBroken(
  flow: Flow,
  answer: (attempt: number) => number,
  then: (flow: Flow, webhookId: string) => Promise<unknown>,
): Promise<void> {
  return withReceiver(answer, async (url) => {
    const json = { url, description: CANARIES.description };
    const webhook = await flow.api.post('/webhooks', Webhook, { json, status: 201 });
    const send = () => flow.api.post(`/webhooks/${webhook.id}/test`, WebhookDelivery, { status: 202 });
    await Promise.all(Array.from({ length: DELIVERIES }, send));
    await then(flow, webhook.id);
  });
}
