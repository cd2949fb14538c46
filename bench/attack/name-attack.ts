import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { seconds, timed } from '#bench/statistics.ts';
import type { Attack } from './attack.ts';
import { tally, type Target } from './target.ts';

/** Address of the server whose name is known; the only private address that the service may reach. */
export const GOOD_ADDRESS = '127.0.0.72';

const SILENT_NAMES = 12;
const GOOD_URLS = 4;
/** So that the look-ups of the silent names have begun. */
const HEAD_START_MS = 1_500;
const ATTACK_MS = 15_000;
const Created = z.object({ id: z.string() });

/** Downloads from names whose servers never answer, and authorizations by such an issuer; meanwhile others are downloaded. */
export const nameAttack: Attack = {
  title: '12 downloads and 12 issuers whose name servers never answer',
  group: 'names',
  before: 'every look-up waits, up to 57 s',
  requestsAtOnce: SILENT_NAMES,
  async prepare(target) {
    const site = createServer((request, response) => response.end(`A text about ${request.url}.`));
    await new Promise<void>((resolve) => site.listen(0, GOOD_ADDRESS, resolve));
    const { port } = site.address() as AddressInfo; // a listening TCP server has an address
    const connections = await createConnections(target);
    return async () => {
      try {
        return await attack(target, { connections, port });
      } finally {
        site.closeAllConnections();
        site.close();
      }
    };
  },
};

/** Connections whose provider is at a name that is never resolved. */
async function createConnections(target: Target): Promise<string[]> {
  const connections: string[] = [];
  for (let number = 0; number < SILENT_NAMES; number += 1) {
    const json = {
      integration: `silent-${number}`,
      integration_type: 'api',
      config: { oauth: { issuer: `https://silent.issuer-${number}.example.com` } },
      credentials: { client_id: 'bench', client_secret: 'x' },
    };
    connections.push((await target.call('/connections', Created, { json })).id);
  }
  return connections;
}

async function attack(target: Target, { connections, port }: { connections: string[]; port: number }): Promise<string> {
  const silent = Array.from({ length: SILENT_NAMES }, (_, number) => `https://silent.host-${number}.example.com/`);
  const hanging = await target.upload(silent.map((url) => ['urls', url]));
  const authorizing = Promise.all(
    connections.map((id) => target.send(`/oauth/authorize/${id}`, { method: 'POST', json: {} })),
  );
  const resting = delay(ATTACK_MS);
  await delay(HEAD_START_MS);
  const good = Array.from({ length: GOOD_URLS }, (_, number) => `http://known.example.com:${port}/${number}`);
  const { result, elapsedMs } = await timed(async () => {
    const { upload_id: id } = await target.upload(good.map((url) => ['urls', url]));
    return target.client.settled(id ?? '');
  });
  const answers = await authorizing;
  await resting;
  // It would be retried during the next attacks.
  await target.send(`/uploads/${hanging.upload_id}/cancel`, { method: 'POST' });
  const slowest = Math.max(...answers.map((answer) => answer.elapsedMs));
  const ready = `${result.progress.by_status['ready'] ?? 0} of ${GOOD_URLS} other downloads ready in ${seconds(elapsedMs)}`;
  return `${ready}; issuers: ${tally(answers)} within ${seconds(slowest)}`;
}
