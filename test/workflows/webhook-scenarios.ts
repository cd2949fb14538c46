import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { Webhook } from '../../domain/records/webhook.ts';
import { WebhookDelivery } from '../../domain/records/webhook-delivery.ts';
import { until, type Flow } from '../support/flow.ts';
import { DOWNLOAD_ADDRESS } from '../support/stack.ts';
import { CANARIES } from './canaries.ts';
import type { Scenario } from './scenario.ts';

/** What Temporal keeps of webhook deliveries whose first attempt fails: one that comes through, and one that does not. */
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

async function playWebhook({ api }: Flow, answer: (attempt: number) => number): Promise<void> {
  let attempts = 0;
  const server = createServer((request, response) => {
    attempts += 1;
    request.resume();
    response.writeHead(answer(attempts)).end(CANARIES.download);
  });
  await new Promise<void>((resolve) => server.listen(0, DOWNLOAD_ADDRESS, resolve));
  try {
    const { port } = server.address() as AddressInfo; // a TCP server that listens has one
    const url = `http://${DOWNLOAD_ADDRESS}:${port}/${CANARIES.url_path}?${CANARIES.url_query}=1`;
    const json = { url, description: CANARIES.description };
    const webhook = await api.post('/webhooks', Webhook, { json, status: 201 });
    const { id } = await api.post(`/webhooks/${webhook.id}/test`, WebhookDelivery, { status: 202 });
    await until(
      () => api.get(`/webhook-deliveries/${id}`, z.object({ status: z.string() })),
      ({ status }) => status === 'delivered' || status === 'failed',
    );
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
