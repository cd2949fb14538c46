import { randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { mebibytes, seconds, timed } from '#bench/statistics.ts';
import type { Attack } from './attack.ts';
import { formOf, tally, type Target } from './target.ts';

const MIB = 1024 * 1024;
const REFUSED = { uploads: 5, bytes: 30 * MIB };
const CUT = { uploads: 6, bytes: 60 * MIB };
const PARTS = { uploads: 6, parts: 1_000, bytes: 68_000 };
const LEFT_AFTER_MS = 1_000;

/** Uploads that are refused, that break off, and that have many parts. */
export const uploadAttacks: Attack[] = [
  {
    title: 'five refused uploads of 30 MiB',
    group: 'uploads',
    before: '145 MB left for a day',
    requestsAtOnce: REFUSED.uploads,
    prepare: async (target) => () =>
      bytesLeftBy(target, async () => {
        const send = () => target.send('/upload', { body: refusedForm(target) });
        return tally(await Promise.all(Array.from({ length: REFUSED.uploads }, send)));
      }),
  },
  {
    title: 'six uploads that break off after 60 MiB',
    group: 'uploads',
    before: '399 MB left for a day',
    requestsAtOnce: CUT.uploads,
    prepare: async (target) => () =>
      bytesLeftBy(target, async () => {
        const sent = await Promise.all(Array.from({ length: CUT.uploads }, () => sendAndBreakOff(target)));
        return `${mebibytes(sent.reduce((sum, bytes) => sum + bytes, 0))} received`;
      }),
  },
  {
    title: 'six uploads of 1,000 parts at once',
    group: 'uploads',
    before: 'API +720 MB',
    requestsAtOnce: PARTS.uploads,
    prepare: async (target) => async () => {
      const send = (_: unknown, upload: number) => target.send('/upload', { body: formOfParts(target, upload) });
      const { result, elapsedMs } = await timed(() => Promise.all(Array.from({ length: PARTS.uploads }, send)));
      return `${tally(result)} in ${seconds(elapsedMs)}`;
    },
  },
];

/** The reader, which is refused, comes after the bytes. */
function refusedForm({ collectionId }: Target): FormData {
  const bytes = new Blob([randomBytes(REFUSED.bytes)]);
  return formOf(collectionId, [
    ['files', bytes, 'large.txt'],
    ['reader', 'unknown'],
  ]);
}

function formOfParts({ collectionId }: Target, upload: number): FormData {
  const rest = Buffer.alloc(PARTS.bytes, 'some text ');
  const files = Array.from({ length: PARTS.parts }, (_, part) => {
    const file = new Blob([`${upload}.${part} `, rest], { type: 'text/plain' });
    return ['files', file, `${part}.txt`] as const;
  });
  return formOf(collectionId, [['ingest', 'false'], ...files]);
}

/** Sends a file without its end, and closes the connection. Returns the bytes that were sent. */
async function sendAndBreakOff({ baseUrl, key, collectionId }: Target): Promise<number> {
  const headers = {
    'X-API-Key': key,
    'Content-Type': 'multipart/form-data; boundary=cut',
    'Content-Length': 2 * CUT.bytes,
  };
  const sending = request(`${baseUrl}/api/v1/upload`, { method: 'POST', headers });
  sending.on('error', () => undefined);
  const part = (header: string) => `--cut\r\nContent-Disposition: form-data; ${header}\r\n\r\n`;
  sending.write(`${part('name="collection_id"')}${collectionId}\r\n${part('name="files"; filename="large.txt"')}`);
  const block = Buffer.from(randomBytes(MIB / 2).toString('hex'));
  let sent = 0;
  while (sent < CUT.bytes && !sending.destroyed) {
    sent += block.length;
    await new Promise((resolve) => sending.write(block, resolve));
  }
  sending.destroy();
  return sent;
}

/** Runs `upload` and tells how many bytes it leaves in the folders of blobs and of files on their way. */
async function bytesLeftBy({ stack }: Target, upload: () => Promise<string>): Promise<string> {
  const { LOCI_BLOB_DIR: stored = '', LOCI_WORK_DIR: onTheWay = '' } = stack.servers.environment;
  const bytes = async () => (await folderBytes(stored)) + (await folderBytes(onTheWay));
  const before = await bytes();
  const answer = await upload();
  await delay(LEFT_AFTER_MS);
  const left = (await bytes()) - before;
  return `${answer}; ${left} bytes left after ${seconds(LEFT_AFTER_MS)}`;
}

/** Bytes of all files of a folder. A file that disappears meanwhile counts nothing. */
export async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const found = await stat(join(parentPath, name)).catch(() => null);
      return found?.size ?? 0;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
