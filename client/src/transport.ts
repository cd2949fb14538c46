import { errorFromResponse, LociError } from './loci-error.ts';
import { newIdempotencyKey } from './new-idempotency-key.ts';
import { requireApi } from './require-api.ts';
import { networkCodeOf, withRetries } from './with-retries.ts';

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export type Transport = {
  fetch: Fetch;
  baseUrl: string;
  /** Credentials and workspace. */
  headers: Readonly<Record<string, string>>;
  retries: number;
};

const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key';
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** A repeated change could overwrite what others have changed in between. */
const NAMED_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT']);

/**
 * Returns a `fetch` for openapi-fetch that retries repeatable requests. Every POST and PUT without an `Idempotency-Key` gets one,
 * with which it takes effect only once where the operation has one. After the last attempt, the response is returned whatever its status.
 */
export function createRetryingFetch(transport: Transport): (request: Request) => Promise<Response> {
  return async (request) => {
    if (NAMED_METHODS.has(request.method) && !request.headers.has(IDEMPOTENCY_KEY_HEADER)) {
      request.headers.set(IDEMPOTENCY_KEY_HEADER, newIdempotencyKey());
    }
    const isRepeatable = SAFE_METHODS.has(request.method) || request.headers.has(IDEMPOTENCY_KEY_HEADER);
    const outcome: { errorResponse: Response | null } = { errorResponse: null };
    const attempt = async (): Promise<Response> => {
      outcome.errorResponse = null;
      const response = await reportUnreachable(transport, async () =>
        bufferJson(await transport.fetch(request.clone())),
      );
      if (response.ok) return requireApi(transport.baseUrl, response);
      outcome.errorResponse = response;
      throw errorFromResponse(response, await readJson(response.clone()));
    };
    try {
      return await withRetries(attempt, { retries: transport.retries, isRepeatable, signal: request.signal });
    } catch (error) {
      if (outcome.errorResponse !== null && !request.signal.aborted) return outcome.errorResponse;
      throw error;
    }
  };
}

/** Reads the whole JSON body, so that a connection that breaks within it is noticed while the request can be retried. */
async function bufferJson(response: Response): Promise<Response> {
  if (response.body === null || !/^application\/json\b/.test(response.headers.get('Content-Type') ?? ''))
    return response;
  const { status, statusText, headers } = response;
  return new Response(await response.arrayBuffer(), { status, statusText, headers });
}

/**
 * Runs a request and converts network failures to a LociError with the address and the reason.
 * @throws LociError `unreachable`; the reason of an aborted request
 */
export async function reportUnreachable<Answer>(
  transport: Pick<Transport, 'baseUrl'>,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof LociError) throw error;
    if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')) throw error;
    const reason = networkCodeOf(error) ?? innermostMessage(error);
    throw new LociError(`Cannot reach ${transport.baseUrl}: ${reason}.`, {
      status: null,
      code: 'unreachable',
      cause: error,
    });
  }
}

/** Returns the message of the innermost cause, because the message of `fetch` is only `fetch failed`. */
function innermostMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? innermostMessage(error.cause) : error.message;
}

/** Returns the body as JSON, or as text if it is not JSON. */
export async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
