import { AppError } from '#domain/app-error.ts';
import type { Reranker } from '#domain/reranker.ts';
import { readRefusal } from '#domain/server-refusal.ts';
import {
  readScores,
  rerankCalls,
  responseLimit,
  type CallForm,
  type RerankCall,
  type RerankWork,
} from './rerank-calls.ts';
import { RerankError } from './rerank-error.ts';
import { shorterWork } from './shorter-work.ts';
import { createScoredReranker, timedOut } from './scored-reranker.ts';

export type RerankServer = {
  /** The address below which the server has `/rerank`. */
  baseUrl: string;
  apiKey: string | null;
  /** As the server calls it; null for servers that have one model only. */
  model: string | null;
  /** Time limit of one search, in milliseconds, its wait for a turn included. */
  timeoutMs: number;
  /** See `Scorer`. */
  passageCharacters: number;
};

/** Searches that are reranked at the same time for this process. */
const SLOTS = 8;

/**
 * Creates a reranker that asks a server with the rerank call of Cohere and Jina, or of TEI: the form is found with the first call.
 * The operator configures its address, so it may be in a private network.
 */
export function createServerReranker(server: RerankServer): Reranker {
  const { baseUrl, model, timeoutMs, passageCharacters } = server;
  const call = createCaller(server);
  return createScoredReranker({
    name: `server/${model ?? new URL(baseUrl).host}`,
    timeoutMs,
    passageCharacters,
    returnsLogits: false,
    slots: SLOTS,
    score: ({ deadline, ...work }) => call(work, deadline),
    close: async () => undefined,
  });
}

type Call = (work: RerankWork, deadline: AbortSignal) => Promise<number[]>;

/** Returns a function that sends work, and once more with shorter texts if the server may have found them too long. */
function createCaller(server: RerankServer): Call {
  const call = createFormCaller(server);
  return async (work, deadline) => {
    try {
      return await call(work, deadline);
    } catch (error) {
      const shorter = mayBeTooLong(error) ? shorterWork(work) : null;
      if (shorter === null) throw error;
      return await call(shorter, deadline).catch((later: unknown) => {
        throw isRejection(later) ? error : later;
      });
    }
  };
}

/** Returns a function that sends work in the form that the server has accepted, or in the other one if it rejects that. */
function createFormCaller(server: RerankServer): Call {
  let form: CallForm = 'documents';
  const ask = async (asked: CallForm, work: RerankWork, deadline: AbortSignal) => {
    const scores = await askForScores(server, rerankCalls(asked, work, server.model), deadline);
    form = asked;
    return scores;
  };
  return async (work, deadline) => {
    const first = form;
    try {
      return await ask(first, work, deadline);
    } catch (error) {
      if (!isRejection(error)) throw error;
      return await ask(first === 'documents' ? 'texts' : 'documents', work, deadline).catch((other: unknown) => {
        throw other instanceof RerankError && !isRejection(other) ? other : error;
      });
    }
  };
}

function isRejection(error: unknown): boolean {
  return error instanceof RerankError && error.reason === 'rejected';
}

/** vLLM rejects texts that are longer than its model reads, and llama.cpp fails. */
function mayBeTooLong(error: unknown): boolean {
  return error instanceof RerankError && (error.reason === 'rejected' || error.status === 500);
}

async function askForScores(
  server: RerankServer,
  calls: readonly RerankCall[],
  deadline: AbortSignal,
): Promise<number[]> {
  const failed = new AbortController();
  const signal = AbortSignal.any([deadline, failed.signal]);
  try {
    const parts = await Promise.all(calls.map((call) => post(server, call, { deadline, signal })));
    return parts.flat();
  } catch (error) {
    // The server is not to work on the other calls while the turn of this search is another one's.
    failed.abort();
    throw error;
  }
}

async function post(
  server: RerankServer,
  call: RerankCall,
  { deadline, signal }: { deadline: AbortSignal; signal: AbortSignal },
): Promise<number[]> {
  const { baseUrl, apiKey, timeoutMs } = server;
  try {
    // Redirects are not followed, because they would send the key and the texts elsewhere.
    const response = await fetch(`${baseUrl.replace(/\/+(?:rerank\/*)?$/, '')}/rerank`, {
      method: 'POST',
      headers: {
        Accept: 'application/json',
        'Content-Type': 'application/json',
        ...(apiKey === null ? {} : { Authorization: `Bearer ${apiKey}` }),
      },
      body: call.body,
      redirect: 'error',
      signal,
    });
    if (!response.ok) throw await failureOf(response);
    return readScores(await readText(response, responseLimit(call)), call.count);
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (deadline.aborted) throw timedOut(timeoutMs);
    const message = `The reranking server at ${new URL(baseUrl).host} cannot be reached or returned no valid response.`;
    throw new RerankError('unavailable', message, { cause: error });
  }
}

/** Maps a status. The message contains nothing of the response, which may echo the texts. */
async function failureOf(response: Response): Promise<RerankError> {
  await response.body?.cancel();
  const { status } = response;
  const answered = `The reranking server answered HTTP ${status}`;
  const refusal = { status, retryAfter: response.headers.get('retry-after') ?? undefined };
  const { reason, retryDelayS } = readRefusal(refusal, Date.now());
  if (reason === 'rejected')
    return new RerankError('rejected', `${answered}: it rejected the texts, or the model.`, { status });
  if (reason === 'misconfigured') {
    const toCheck = status === 404 ? 'LOCI_RERANK_BASE_URL and LOCI_RERANK_MODEL' : 'LOCI_RERANK_API_KEY';
    return new RerankError('unavailable', `${answered}: check ${toCheck}.`, { status });
  }
  return new RerankError('unavailable', `${answered}.`, { retryDelayS, status });
}

/** Reads the body up to a limit of decompressed bytes, which `Content-Length` does not state. */
async function readText(response: Response, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > maxBytes) {
      throw new RerankError('invalid_response', `The reranking server returned more than ${maxBytes} bytes.`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
