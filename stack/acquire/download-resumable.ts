import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { Transform } from 'node:stream';
import { withResponse } from './download-file.ts';
import type { HubFile } from './read-revision.ts';
import { StackError } from '#stack/stack-error.ts';
import { type Log, timedStep } from '#stack/timed-step.ts';

/** Connections that end early are common with files of hundreds of megabytes. */
const ATTEMPTS = 3;
const MIB = 1024 * 1024;

export type ResumableDownload = { file: HubFile; to: string; headers: Record<string, string>; log: Log };

/**
 * Downloads a file to the end, going on where an earlier call or a connection ended, and verifies its checksum. A part stays when
 * the download fails, a whole file with another checksum does not.
 * @throws StackError that names the file and says what is wrong with it
 */
export async function downloadResumable({ file, to, headers, log }: ResumableDownload): Promise<void> {
  const total = (file.sizeBytes / MIB).toFixed(0);
  let received = await sizeOf(to);
  await timedStep(
    { log, title: `Downloading ${file.url}`, describe: () => `${(received / MIB).toFixed(0)} of ${total} MiB` },
    async () => {
      for (let attempt = 1; received < file.sizeBytes; attempt += 1) {
        const failure = await receive(file, { to, headers, from: received, onBytes: (at) => (received = at) });
        received = await sizeOf(to);
        if (received > file.sizeBytes) break;
        if (attempt < ATTEMPTS || received === file.sizeBytes) continue;
        throw new StackError(
          `${file.url} ended after ${received} of ${file.sizeBytes} bytes. The next attempt goes on from there`,
          { cause: failure },
        );
      }
    },
  );
  await verify(file, to);
}

type Receiving = { to: string; headers: Record<string, string>; from: number; onBytes: (at: number) => void };

/** Appends what the server sends. Returns why it ended early, if it did; what it refuses throws. */
async function receive(file: HubFile, { to, headers, from, onBytes }: Receiving): Promise<unknown> {
  let at = from;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      at += chunk.length;
      onBytes(at);
      done(at > file.sizeBytes ? new StackError('it is longer than the hub says') : null, chunk);
    },
  });
  const asked = from === 0 ? headers : { ...headers, range: `bytes=${from}-` };
  let hasBegun = false;
  try {
    await withResponse(file.url, { headers: asked }, async ({ status, body }) => {
      if (body === null) throw new StackError(`${file.url} responded without a body`);
      hasBegun = true;
      // A server that does not know ranges sends the file from its beginning.
      const isContinued = status === 206;
      if (!isContinued) at = 0;
      await pipeline(body, counter, createWriteStream(to, { flags: isContinued ? 'a' : 'w' }));
    });
  } catch (error) {
    if (!hasBegun) throw error;
    return error;
  }
  return undefined;
}

async function verify(file: HubFile, path: string): Promise<void> {
  const { algorithm, value } = file.checksum;
  const hash = createHash(algorithm === 'sha256' ? 'sha256' : 'sha1');
  if (algorithm === 'git-sha1') hash.update(`blob ${file.sizeBytes}\0`);
  await pipeline(createReadStream(path), hash);
  const actual = hash.digest('hex');
  if (actual === value) return;
  await rm(path, { force: true });
  const name = algorithm === 'sha256' ? 'SHA-256' : 'Git id';
  throw new StackError(`${file.url} has the ${name} ${actual}, but the hub says ${value}`);
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
