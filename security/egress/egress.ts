import { AppError } from '#domain/app-error.ts';
import { urlForDisplay } from '#security/url-for-display.ts';
import { createAddressPolicy, type AddressPolicy } from './address-policy.ts';
import { ACCEPTED_CODINGS, decodeBody } from './decode-body.ts';
import { exchange, type Exchange, type HttpMethod } from './exchange.ts';
import { requireSuccess, type FetchedResponse } from './fetched-response.ts';
import { followRedirect, isRedirect, type Redirectable } from './redirect.ts';
import { parseTarget, systemResolve, vetTarget, type Resolve } from './vet-target.ts';

export type EgressOptions = {
  /** CIDR ranges of private networks that may be reached all the same. */
  allow: readonly string[];
  /** How names become addresses; the machine's own way by default. */
  resolve?: Resolve;
  /** PEM certificates that are trusted instead of those of Node. */
  certificateAuthority?: string;
};

export type FetchOptions = {
  method?: HttpMethod;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Most bytes of the body as they travel. */
  maxBytes: number;
  /** Most bytes of the body after decompression; `maxBytes` by default. */
  maxInflatedBytes?: number;
  /** From the call to the last byte of the body, redirects and name resolution included. */
  totalTimeoutMs: number;
  /** Longest silence; 30 s by default. */
  idleTimeoutMs?: number;
  /** 5 by default; 0 gives redirects back as they are. */
  maxRedirects?: number;
  /** False gives the body as it travels; true by default. */
  decode?: boolean;
  /** Its reason is thrown as it is. */
  signal?: AbortSignal;
};

/** The only way out to URLs that users give. */
export type Egress = {
  /**
   * Sends a request and gives any answer, whatever its status.
   * @throws AppError `download_refused` (the address must not be reached), `download_rejected` (will not go better another
   * time), `download_failed`, `download_timeout` (may), `download_too_large`.
   */
  fetchTo(url: string, options: FetchOptions): Promise<FetchedResponse>;
  /** Fetches a file: as `fetchTo`, and an answer that is no success is an error, as `requireSuccess` says. */
  download(url: string, options: FetchOptions): Promise<FetchedResponse>;
};

type Attempt = Redirectable & { options: FetchOptions; signal: AbortSignal };

const DEFAULT_IDLE_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_REDIRECTS = 5;
const USER_AGENT = 'Loci';

/** What is the same for every request. */
type EgressContext = { policy: AddressPolicy; resolve: Resolve; certificateAuthority: string | null };

/**
 * Makes the way out. Every URL is parsed once, all addresses of its host are vetted, the connection is pinned to them, and each
 * redirect goes through the same again. Bodies are counted as they travel and as they expand.
 * @throws AppError `internal` for a range of `allow` that cannot be read.
 */
export function createEgress(options: EgressOptions): Egress {
  const way: EgressContext = {
    policy: createAddressPolicy(options.allow),
    resolve: options.resolve ?? systemResolve,
    certificateAuthority: options.certificateAuthority ?? null,
  };
  return {
    fetchTo: (url, fetchOptions) => fetchTo(way, url, fetchOptions),
    download: async (url, fetchOptions) => requireSuccess(await fetchTo(way, url, fetchOptions)),
  };
}

async function fetchTo(way: EgressContext, text: string, options: FetchOptions): Promise<FetchedResponse> {
  const url = parseTarget(text);
  const deadline = startDeadline(url, options);
  try {
    const headers = requestHeaders(options.headers ?? {});
    const first = { url, method: options.method ?? 'GET', headers, body: options.body ?? null };
    const { attempt, answer } = await sendAndFollow(way, { ...first, options, signal: deadline.signal });
    return toFetchedResponse(attempt, answer, deadline);
  } catch (error) {
    deadline.end();
    throw error;
  }
}

async function sendAndFollow(way: EgressContext, first: Attempt): Promise<{ attempt: Attempt; answer: Exchange }> {
  const maxRedirects = first.options.maxRedirects ?? DEFAULT_MAX_REDIRECTS;
  let attempt = first;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await send(way, attempt);
    if (maxRedirects === 0 || !isRedirect(answer.status, answer.headers)) return { attempt, answer };
    await answer.close();
    if (redirects === maxRedirects) {
      throw new AppError('download_rejected', `${urlForDisplay(first.url)} redirects more than ${maxRedirects} times.`);
    }
    attempt = { ...attempt, ...followRedirect(attempt, answer.status, answer.headers['location'] ?? '') };
  }
}

async function send(way: EgressContext, attempt: Attempt): Promise<Exchange> {
  const { url, method, headers, body, options, signal } = attempt;
  const target = await rejectOnAbort(vetTarget(url, way), signal);
  const idleTimeoutMs = options.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS;
  const { certificateAuthority } = way;
  return exchange(target, { method, headers, body, idleTimeoutMs, signal, certificateAuthority });
}

type Deadline = { signal: AbortSignal; end(): void };

/** Aborts when the time is over or the caller does; `end` stops the clock. */
function startDeadline(url: URL, options: FetchOptions): Deadline {
  const own = new AbortController();
  const timer = setTimeout(() => {
    const seconds = options.totalTimeoutMs / 1000;
    own.abort(new AppError('download_timeout', `${urlForDisplay(url)} took longer than the limit of ${seconds} s.`));
  }, options.totalTimeoutMs);
  return {
    signal: options.signal === undefined ? own.signal : AbortSignal.any([own.signal, options.signal]),
    end: () => clearTimeout(timer),
  };
}

function toFetchedResponse(attempt: Attempt, answer: Exchange, deadline: Deadline): FetchedResponse {
  const { maxBytes, maxInflatedBytes = maxBytes, decode = true } = attempt.options;
  const shown = urlForDisplay(attempt.url);
  const discard = async () => {
    deadline.end();
    await answer.close();
  };
  const hasBody = attempt.method !== 'HEAD' && answer.status !== 204 && answer.status !== 304;
  const announcedBytes = Number(answer.headers['content-length'] ?? 0);
  try {
    if (hasBody && announcedBytes > maxBytes) throw tooLarge(shown, maxBytes);
    const raw = limitBytes(answer.body, maxBytes, shown);
    const coding = hasBody && decode ? (answer.headers['content-encoding'] ?? '') : '';
    const body = endWhenRead(decodeBody(raw, coding, { maxInflatedBytes, shown }), discard);
    return { status: answer.status, headers: answer.headers, url: attempt.url.href, body, discard };
  } catch (error) {
    void answer.close();
    throw error;
  }
}

async function* limitBytes(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
  shown: string,
): AsyncGenerator<Uint8Array> {
  let seenBytes = 0;
  for await (const chunk of source) {
    seenBytes += chunk.byteLength;
    if (seenBytes > maxBytes) throw tooLarge(shown, maxBytes);
    yield chunk;
  }
}

async function* endWhenRead(source: AsyncIterable<Uint8Array>, end: () => Promise<void>): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } finally {
    await end();
  }
}

function tooLarge(shown: string, maxBytes: number): AppError {
  return new AppError('download_too_large', `${shown} is larger than the limit of ${maxBytes} bytes.`);
}

/** Host, length and framing come from the request itself. */
function requestHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  const headers: Record<string, string> = { accept: '*/*', 'user-agent': USER_AGENT };
  for (const [name, value] of Object.entries(given)) headers[name.toLowerCase()] = value;
  for (const name of ['host', 'connection', 'content-length', 'transfer-encoding']) delete headers[name];
  return { ...headers, 'accept-encoding': ACCEPTED_CODINGS };
}

async function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
