import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { Webhook } from '#domain/records/webhook.ts';
import type { BenchStack } from '#bench/bench-stack.ts';

/** Address of the receivers; the only private address that the service may reach. */
export const RECEIVER_ADDRESS = '127.0.0.71';

/** The service sends few messages at a time to one receiver, so there are several. */
const RECEIVERS = 8;
const DELIVERIES_EACH = 8;
const POLL_MS = 200;
const BLOCK = Buffer.alloc(64 * 1024, 'x');

/**
 * Sends webhooks to receivers that respond with 200 and a body of `responseBytes` bytes, and waits until all are delivered.
 * Returns the number of response bytes that were written to the network.
 */
export async function deliverWithResponses({ servers, apiKey }: BenchStack, responseBytes: number): Promise<number> {
  let sentBytes = 0;
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'Content-Type': 'text/plain' });
    const body = function* () {
      for (let left = responseBytes; left > 0; left -= BLOCK.length) {
        sentBytes += BLOCK.length;
        yield BLOCK;
      }
    };
    // The service closes the connection when it has read enough.
    pipeline(Readable.from(body()), response).catch(() => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, RECEIVER_ADDRESS, resolve));
  const { port } = server.address() as AddressInfo; // a listening TCP server has an address

  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const headers = { 'X-API-Key': apiKey, 'Content-Type': 'application/json' };
    const url = `http://127.0.0.1:${servers.ports.api}/api/v1${path}`;
    const response = await fetch(url, { method, headers, body: body ? JSON.stringify(body) : null });
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`);
    return response.status === 204 ? null : response.json();
  };
  const sendTo = async (index: number) => {
    const webhook = Webhook.parse(
      await call('POST', '/webhooks', { url: `http://${RECEIVER_ADDRESS}:${port}/${index}`, description: 'bench' }),
    );
    for (let count = 0; count < DELIVERIES_EACH; count += 1) await call('POST', `/webhooks/${webhook.id}/test`);
    for (let delivered = 0; delivered < DELIVERIES_EACH;) {
      await delay(POLL_MS);
      const list = await call('GET', `/webhook-deliveries?webhook_id=${webhook.id}&status=delivered&limit=1`);
      delivered = z.object({ total_count: z.int() }).parse(list).total_count;
    }
    await call('DELETE', `/webhooks/${webhook.id}`);
  };
  try {
    await Promise.all(Array.from({ length: RECEIVERS }, (_, index) => sendTo(index)));
    return sentBytes;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
