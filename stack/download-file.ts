import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { Transform } from 'node:stream';
import { EnvHttpProxyAgent, fetch } from 'undici';
import { reasonOf, StackError } from './stack-error.ts';
import { type Log, timedStep } from './timed-step.ts';

/** A host that has not answered by then is given up: the next source is tried instead. */
const ANSWER_TIMEOUT_MS = 5_000;
/** A download that brings no byte for so long is given up. */
const STALL_TIMEOUT_MS = 20_000;
const MIB = 1024 * 1024;

export type Download = {
  url: string;
  to: string;
  /** Expected SHA-256 in hexadecimal. */
  sha256: string;
  log: Log;
};

/**
 * Downloads a file and checks it. Honours `HTTPS_PROXY` and `NO_PROXY`.
 * @throws StackError when the host does not answer, the download breaks off, or the checksum is another; nothing stays behind then
 */
export async function downloadFile({ url, to, sha256, log }: Download): Promise<void> {
  let received = 0;
  let expected = 0;
  const describe = () => `${inMib(received)}${expected > 0 ? ` of ${inMib(expected)}` : ''} MiB`;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length;
      done(null, chunk);
    },
  });
  try {
    await timedStep({ log, title: `Downloading ${url}`, describe }, async () => {
      await withAnswer(url, async (response) => {
        expected = Number(response.headers.get('content-length') ?? 0);
        if (response.body === null) throw new StackError(`${url} answered without a body`);
        await pipeline(response.body, counter, createWriteStream(to));
      });
    });
    const actual = await sha256OfFile(to);
    if (actual !== sha256) throw new StackError(`${url} has SHA-256 ${actual}, expected is ${sha256}`);
  } catch (error) {
    await rm(to, { force: true });
    throw error;
  }
}

/** Fetches a small text, e.g. a published checksum file. @throws StackError */
export async function downloadText(url: string): Promise<string> {
  let text = '';
  await withAnswer(url, async (response) => {
    text = await response.text();
  });
  return text;
}

export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function withAnswer(url: string, use: (response: Awaited<ReturnType<typeof fetch>>) => Promise<void>) {
  const dispatcher = new EnvHttpProxyAgent({
    connect: { timeout: ANSWER_TIMEOUT_MS },
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: STALL_TIMEOUT_MS,
  });
  const patience = new AbortController();
  const timer = setTimeout(
    () => patience.abort(new Error(`no answer within ${ANSWER_TIMEOUT_MS / 1000} s`)),
    2 * ANSWER_TIMEOUT_MS,
  );
  try {
    const response = await fetch(url, { dispatcher, signal: patience.signal });
    clearTimeout(timer);
    if (!response.ok) throw new StackError(`it answered ${response.status}`);
    await use(response);
  } catch (error) {
    throw new StackError(`${new URL(url).host} cannot be used: ${reasonOf(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
    await dispatcher.destroy();
  }
}

function inMib(sizeBytes: number): string {
  return (sizeBytes / MIB).toFixed(0);
}
