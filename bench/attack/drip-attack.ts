import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { seconds, timed } from '#bench/statistics.ts';
import type { Attack } from './attack.ts';
import { createTarget, tally, type Target } from './target.ts';

const CONNECTIONS = 40;
const BYTE_EVERY_MS = 3_000;
/** A little longer than the 30 s in which a body must make progress. */
const ATTACK_MS = 38_000;
const OTHER_UPLOAD_AFTER_MS = 3_000;

/** Uploads that never end, because a byte arrives every few seconds. */
export const dripAttack: Attack = {
  title: '40 uploads that send a byte every 3 s',
  group: 'uploads',
  before: 'kept open forever',
  requestsAtOnce: CONNECTIONS,
  prepare: async (target) => {
    const other = await createTarget(target.stack);
    return async () => {
      const dripping = Promise.all(Array.from({ length: CONNECTIONS }, () => drip(target)));
      await delay(OTHER_UPLOAD_AFTER_MS);
      const { elapsedMs } = await timed(() => other.upload([['content', 'a text of another workspace']]));
      const answers = await dripping;
      await other.close();
      return `${tally(answers)}; an upload of another workspace accepted in ${seconds(elapsedMs)}`;
    };
  },
};

/** What an upload was answered that sends a byte now and then. */
async function drip({ baseUrl, key, collectionId }: Target): Promise<{ status: number; code: string }> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  let received = '';
  const ended = new Promise<void>((resolve) => {
    socket.on('data', (bytes: Buffer) => {
      received += bytes.toString();
      resolve();
    });
    socket.on('error', () => resolve());
    socket.on('close', () => resolve());
  });
  socket.write(
    `POST /api/v1/upload HTTP/1.1\r\nHost: ${hostname}\r\nX-API-Key: ${key}\r\nContent-Length: 90000000\r\n` +
      'Content-Type: multipart/form-data; boundary=b\r\n\r\n' +
      `--b\r\nContent-Disposition: form-data; name="collection_id"\r\n\r\n${collectionId}\r\n` +
      '--b\r\nContent-Disposition: form-data; name="files"; filename="slow.txt"\r\n\r\n',
  );
  const dripping = setInterval(() => socket.write('x'), BYTE_EVERY_MS);
  await Promise.race([ended, delay(ATTACK_MS)]);
  clearInterval(dripping);
  socket.destroy();
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0);
  return { status, code: /"code":"(\w+)"/.exec(received)?.[1] ?? 'no answer yet' };
}
