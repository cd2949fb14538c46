import { AppError } from '#domain/app-error.ts';
import { urlForDisplay } from '#security/url-for-display.ts';
import { createAddressPolicy, type AddressPolicy } from './address-policy.ts';
import { ACCEPTED_CODINGS, decodeBody } from './decode-body.ts';
import { exchange, type Exchange, type HttpMethod } from './exchange.ts';
import { requireSuccess, type FetchedResponse } from './fetched-response.ts';
import { followRedirect, isRedirect, type Redirectable } from './redirect.ts';
import { createSystemResolve, type Resolve } from './system-resolve.ts';
import { parseTarget, vetTarget } from './vet-target.ts';

export type EgressOptions = {
  /** CIDR ranges of private networks that are allowed. */
  allow: readonly string[];
  /** Name resolution; that of the machine by default. */
  resolve?: Resolve;
  /** PEM certificates to trust instead of those of Node. */
  certificateAuthority?: string;
};

export type FetchOptions = {
  method?: HttpMethod;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Maximum size of the body as transferred. */
  maxBytes: number;
  /** Maximum size of the body after decompression; `maxBytes` by default. */
  maxInflatedBytes?: number;
  /** From the call to the last byte of the body, redirects and name resolution included. */
  totalTimeoutMs: number;
  /** Longest time without data; 30 s by default. */
  idleTimeoutMs?: number;
  /** 5 by default; with 0, redirects are returned as responses. */
  maxRedirects?: number;
  /** False returns the body as transferred, not decompressed; true by default. */
  decode?: boolean;
  /** When it aborts, its reason is thrown unchanged. */
  signal?: AbortSignal;
};

/** The only client for URLs that come from users. */
export type Egress = {
  /**
   * Sends a request and returns the response, whatever its status.
   * @throws AppError `download_refused` (the address is blocked), `download_rejected` (permanent failure), `download_failed` and
   * `download_timeout` (temporary failures), `download_too_large`.
   */
  fetchTo(url: string, options: FetchOptions): Promise<FetchedResponse>;
  /** Fetches a file: like `fetchTo`, but throws for a status other than 2xx, as `requireSuccess` does. */
  download(url: string, options: FetchOptions): Promise<FetchedResponse>;
};

type Attempt = Redirectable & { options: FetchOptions; signal: AbortSignal };

const DEFAULT_IDLE_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_REDIRECTS = 5;
const USER_AGENT = 'Loci';

/** Settings that all requests share. */
type EgressContext = { policy: AddressPolicy; resolve: Resolve; certificateAuthority: string | null };

/**
 * Creates the egress client. Every URL is parsed once, all addresses of its host are checked against the address policy, the
 * connection is pinned to them, and every redirect goes through the same checks. The size of bodies is limited as transferred
 * and as decompressed.
 * @throws AppError `internal` for an invalid range of `allow`.
 */
export function createEgress(options: EgressOptions): Egress {
  const way: EgressContext = {
    policy: createAddressPolicy(options.allow),
    resolve: options.resolve ?? createSystemResolve(),
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
  const target = await rejectOnAbort(vetTarget(url, way, signal), signal);
  const idleTimeoutMs = options.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS;
  const { certificateAuthority } = way;
  return exchange(target, { method, headers, body, idleTimeoutMs, signal, certificateAuthority });
}

type Deadline = { signal: AbortSignal; end(): void };

/** A signal that aborts after the total timeout or with the caller's signal; `end` clears the timer. */
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

/** Drops the headers for host, length and framing, which the HTTP client sets. */
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
