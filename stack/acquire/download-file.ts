import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { Transform } from 'node:stream';
import { EnvHttpProxyAgent, fetch } from 'undici';
import { reasonOf, StackError } from '#stack/stack-error.ts';
import { type Log, timedStep } from '#stack/timed-step.ts';

/** After this time without a response, the download fails and the caller tries its next source. */
const RESPONSE_TIMEOUT_MS = 5_000;
/** A download that receives no data for this time fails. */
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
 * Downloads a file and verifies its checksum. Uses `HTTPS_PROXY` and `NO_PROXY`. Removes the file on failure.
 * @throws StackError if the host does not respond, the download is interrupted, or the checksum differs
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
      await withResponse(url, {}, async (response) => {
        expected = Number(response.headers.get('content-length') ?? 0);
        if (response.body === null) throw new StackError(`${url} responded without a body`);
        await pipeline(response.body, counter, createWriteStream(to));
      });
    });
    const actual = await sha256OfFile(to);
    if (actual !== sha256) throw new StackError(`${url} has the SHA-256 ${actual}, expected ${sha256}`);
  } catch (error) {
    await rm(to, { force: true });
    throw error;
  }
}

/** Downloads a small text, such as a published checksum file. @throws StackError */
export async function downloadText(url: string, headers: Record<string, string> = {}): Promise<string> {
  let text = '';
  await withResponse(url, { headers }, async (response) => {
    text = await response.text();
  });
  return text;
}

export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

type Received = Awaited<ReturnType<typeof fetch>>;

/** Requests an address, and gives up on hosts that do not respond. @throws StackError that names the host */
export async function withResponse(
  url: string,
  { headers = {} }: { headers?: Record<string, string> },
  use: (response: Received) => Promise<void>,
): Promise<void> {
  const dispatcher = new EnvHttpProxyAgent({
    connect: { timeout: RESPONSE_TIMEOUT_MS },
    headersTimeout: RESPONSE_TIMEOUT_MS,
    bodyTimeout: STALL_TIMEOUT_MS,
  });
  const responseTimeout = new AbortController();
  const timer = setTimeout(
    () => responseTimeout.abort(new Error(`no response within ${RESPONSE_TIMEOUT_MS / 1000} s`)),
    2 * RESPONSE_TIMEOUT_MS,
  );
  try {
    const response = await fetch(url, { dispatcher, headers, signal: responseTimeout.signal });
    clearTimeout(timer);
    if (!response.ok) throw new StackError(`it responded with status ${response.status}`);
    await use(response);
  } catch (error) {
    throw new StackError(`${new URL(url).host} is not usable: ${reasonOf(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
    await dispatcher.destroy();
  }
}

function inMib(sizeBytes: number): string {
  return (sizeBytes / MIB).toFixed(0);
}
