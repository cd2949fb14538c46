import { randomBytes } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isExecutable } from '#stack/processes/run-command.ts';
import { VERSITYGW } from '#stack/versions.ts';
import type { S3Options } from '#store/blobs/s3-blob-store.ts';

const BUCKET = 'blobs';
const START_TIMEOUT_MS = 30_000;

/** The executable that `npm test` has obtained; null when there is none, and tests of S3 are to be skipped. */
function findExecutable(): string | null {
  const cacheDir = process.env['LOCI_CACHE_DIR'] || join(homedir(), '.cache', 'loci');
  const cached = join(cacheDir, `${VERSITYGW.name}-${VERSITYGW.version}`, VERSITYGW.name);
  const path = process.env[VERSITYGW.binarySetting] || cached;
  return isExecutable(path) ? path : null;
}

/** Whether this machine has the S3 server. */
export const hasS3Server = findExecutable() !== null;

export type S3Server = Awaited<ReturnType<typeof startS3Server>>;

/** Starts a real S3 server on a free port, with an empty bucket in a folder of its own. `close` removes both. */
export async function startS3Server() {
  const dir = await mkdtemp(join(tmpdir(), 'loci-test-s3-'));
  const folder = join(dir, BUCKET);
  await mkdir(folder);
  const credentials = { accessKeyId: 'tester', secretAccessKey: randomBytes(16).toString('hex') };
  const port = await findFreePort();
  let server = await start(dir, port, credentials);
  const endpoint = `http://127.0.0.1:${port}`;
  return {
    endpoint,
    port,
    /** The bucket as a folder: objects are files under their keys. */
    folder,
    credentials,
    bucket: BUCKET,
    /** The settings of a process that uses the bucket. */
    environment: {
      LOCI_BLOB_STORE: 's3',
      LOCI_S3_BUCKET: BUCKET,
      LOCI_S3_ENDPOINT: endpoint,
      LOCI_S3_PATH_STYLE: 'true',
      LOCI_S3_ACCESS_KEY_ID: credentials.accessKeyId,
      LOCI_S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
    options(changed: Partial<S3Options> = {}): S3Options {
      const place = { bucket: BUCKET, prefix: '', region: null, endpoint, pathStyle: true, credentials };
      const usual = { encryption: null, kmsKeyId: null, presignedDownloads: false, workFolder: join(dir, 'work') };
      return { ...place, ...usual, ...changed };
    },
    stop: () => stop(server),
    async restart() {
      server = await start(dir, port, credentials);
    },
    async close() {
      await stop(server);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function start(dir: string, port: number, credentials: { accessKeyId: string; secretAccessKey: string }) {
  const executable = findExecutable();
  if (executable === null) throw new Error('there is no S3 server: check `hasS3Server` first');
  const child = spawn(executable, ['--quiet', '--keep-alive', '--port', `127.0.0.1:${port}`, 'posix', dir], {
    env: { ROOT_ACCESS_KEY: credentials.accessKeyId, ROOT_SECRET_KEY: credentials.secretAccessKey },
    stdio: 'ignore',
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const giveUpAt = Date.now() + START_TIMEOUT_MS;
  while (!(await answers(port))) {
    if (child.exitCode !== null || Date.now() > giveUpAt) throw new Error('the S3 server did not start');
    await delay(20);
  }
  return child;
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.kill('SIGKILL');
  await ended;
}

async function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    async (response) => {
      await response.body?.cancel();
      return true;
    },
    () => false,
  );
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server's
  server.close();
  await once(server, 'close');
  return port;
}
