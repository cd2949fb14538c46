import { randomUUID } from 'node:crypto';
import { errorOfAnswer, LociError } from './loci-error.ts';
import { networkCodeOf, retrying } from './retrying.ts';

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export type Sending = {
  fetch: Fetch;
  baseUrl: string;
  /** Who asks, and for which workspace. */
  headers: Readonly<Record<string, string>>;
  retries: number;
};

const IDEMPOTENCY_KEY = 'Idempotency-Key';
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A `fetch` for openapi-fetch that sends again what may be sent again. Every POST gets an `Idempotency-Key` unless it has
 * one, so that it has its effect once however often it is sent. The last answer is returned, whatever its status.
 */
export function createRetryingFetch(sending: Sending): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method === 'POST' && !request.headers.has(IDEMPOTENCY_KEY)) {
      request.headers.set(IDEMPOTENCY_KEY, randomUUID());
    }
    const isRepeatable =
      READING.has(request.method) || request.method === 'PUT' || request.headers.has(IDEMPOTENCY_KEY);
    const outcome: { refusal: Response | null } = { refusal: null };
    const attempt = async (): Promise<Response> => {
      outcome.refusal = null;
      const response = await reach(sending, async () => wholeJson(await sending.fetch(request.clone())));
      if (response.ok) return response;
      outcome.refusal = response;
      throw errorOfAnswer(response, await jsonOf(response.clone()));
    };
    try {
      return await retrying(attempt, { retries: sending.retries, isRepeatable, signal: request.signal });
    } catch (error) {
      if (outcome.refusal !== null && !request.signal.aborted) return outcome.refusal;
      throw error;
    }
  };
}

/** With all of its JSON, so that a connection that breaks within it is known while the request can be sent again. */
async function wholeJson(response: Response): Promise<Response> {
  if (response.body === null || !/^application\/json\b/.test(response.headers.get('Content-Type') ?? ''))
    return response;
  const { status, statusText, headers } = response;
  return new Response(await response.arrayBuffer(), { status, statusText, headers });
}

/**
 * Asks, and says where and why in plain words when there is no answer.
 * @throws LociError `unreachable`, or the reason of an aborted request
 */
export async function reach<Answer>(sending: Pick<Sending, 'baseUrl'>, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof LociError) throw error;
    if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')) throw error;
    const reason = networkCodeOf(error) ?? innermostMessage(error);
    throw new LociError(`Cannot reach ${sending.baseUrl}: ${reason}.`, {
      status: null,
      code: 'unreachable',
      cause: error,
    });
  }
}

/** `fetch failed` says nothing; its cause does. */
function innermostMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? innermostMessage(error.cause) : error.message;
}

/** The body as JSON; as text where it is none. */
export async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
