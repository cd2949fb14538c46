import { isUtf8 } from 'node:buffer';
import type { LookupAddress } from 'node:dns';
import { isIPv6 } from 'node:net';
import type { LookupFunction } from 'node:net';
import { Client } from 'undici';
import type { Dispatcher } from 'undici';
import { exchangeFailure } from './exchange-failure.ts';
import type { VettedTarget } from './vet-target.ts';

export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type ExchangeRequest = {
  method: HttpMethod;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array | null;
  /** Longest time without data while waiting for headers or between two chunks of the body. */
  idleTimeoutMs: number;
  signal: AbortSignal;
  /** PEM certificates to trust instead of those of Node. */
  certificateAuthority: string | null;
};

export type Exchange = {
  status: number;
  /** Names in lower case; the values of a repeated header are joined by a comma, those of `x-robots-tag` by a line break. */
  headers: Readonly<Record<string, string>>;
  /** As transferred, not decompressed. */
  body: AsyncIterable<Uint8Array>;
  close(): Promise<void>;
};

const MAX_HEADER_BYTES = 32 * 1024;
const CONNECT_TIMEOUT_MS = 10_000;
/** Longest wait for one of several addresses: enough to send the first packet of a connection three times. */
const ADDRESS_TIMEOUT_MS = 3_500;

/**
 * Sends one request to a vetted target; does not follow redirects. The connection goes to the vetted addresses and the name is
 * not resolved again, so DNS rebinding has no effect. Host and SNI contain the name.
 * @throws AppError as described at `exchangeFailure`, or the reason of `signal`.
 */
export async function exchange(target: VettedTarget, request: ExchangeRequest): Promise<Exchange> {
  const { url, addresses } = target;
  const connectTimeoutMs = Math.min(CONNECT_TIMEOUT_MS, request.idleTimeoutMs);
  const client = new Client(url.origin, {
    // One client per request: no connection is reused for a target that was not vetted again.
    pipelining: 0,
    allowH2: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: request.idleTimeoutMs,
    bodyTimeout: request.idleTimeoutMs,
    connect: {
      // Not called for an IP literal, which was vetted itself.
      lookup: pinnedLookup(addresses),
      timeout: connectTimeoutMs,
      autoSelectFamily: true,
      // Node waits 250 ms for every address but the last, which is too short for a distant host, and the last one may be unreachable.
      autoSelectFamilyAttemptTimeout: Math.min(ADDRESS_TIMEOUT_MS, Math.ceil(connectTimeoutMs / addresses.length)),
      maxCachedSessions: 0,
      ...(request.certificateAuthority === null ? {} : { ca: request.certificateAuthority }),
    },
  });
  try {
    const response = await client.request({
      path: url.pathname + url.search,
      method: request.method,
      headers: request.headers,
      body: request.body,
      signal: request.signal,
    });
    return {
      status: response.statusCode,
      headers: joinHeaders(response.headers),
      body: readBody(response.body, url, request.signal),
      close: () => client.destroy(),
    };
  } catch (error) {
    await client.destroy();
    throw failureOf(error, url, request.signal);
  }
}

async function* readBody(
  body: Dispatcher.ResponseData['body'],
  url: URL,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) yield chunk;
  } catch (error) {
    throw failureOf(error, url, signal);
  }
}

function failureOf(error: unknown, url: URL, signal: AbortSignal): unknown {
  return signal.aborted ? signal.reason : exchangeFailure(error, url);
}

function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const found: LookupAddress[] = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_hostname, options, callback) => {
    const [first] = found;
    if (options.all === true) callback(null, found);
    else if (first !== undefined) callback(null, first.address, first.family);
  };
}

function joinHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(separatorOf(name)) : value;
  }
  const { location } = flat;
  return location === undefined ? flat : { ...flat, location: decodeUtf8(location) };
}

/** A crawler's name in `X-Robots-Tag` applies to the rest of its line, so its lines must not become one. */
function separatorOf(name: string): string {
  return name.toLowerCase() === 'x-robots-tag' ? '\n' : ', ';
}

/** Header values are read as Latin-1. Servers that do not escape an address send its UTF-8, as browsers take it. */
function decodeUtf8(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}
