import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { AppError } from '#domain/app-error.ts';
import type { Embedder } from '#domain/embedder.ts';
import { FairSlots } from '#domain/fair-slots.ts';
import { LANE_HEADER, MODEL_HEADER, servedModelOf } from '#domain/served-model.ts';
import type { Log } from '#observability/log.ts';
import type { Secret } from '#security/secret.ts';

/** Answers `POST /v1/embeddings`. Never throws. */
export type EmbeddingEndpoint = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** `models`: the local ones. */
export type EmbeddingEndpointOptions = {
  models: readonly Embedder[];
  token: Secret;
  log: Log;
  bodyTimeoutMs?: number;
};

const MAX_TEXTS = 256;
const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** How long a client may take to send a body, from when it is read. */
const BODY_TIMEOUT_MS = 30_000;
/** Requests whose texts are in memory at the same time; those of others are not read until then. */
const DOCUMENT_REQUESTS_AT_ONCE = 16;
/** Those of them that are kept for lane `express`. */
const EXPRESS_REQUESTS = 4;
/** Queries have a door of their own for each model: documents may fill theirs for minutes, and a model may have to be loaded. */
const QUERY_REQUESTS_AT_ONCE = 8;
const RETRY_AFTER_S = 5;

const Lane = z.enum(['query', 'express', 'bulk']).default('bulk');
type Lane = z.infer<typeof Lane>;
/** `signal`: aborts when the client leaves. */
type Asked = { lane: Lane; signal: AbortSignal };
const EmbeddingsRequest = z.object({
  model: z.string(),
  input: z.union([z.string().transform((text) => [text]), z.array(z.string()).min(1).max(MAX_TEXTS)]),
});

/** Embeds for other processes, in the embeddings form of the OpenAI API: whoever knows the token, and means this very model. */
export function createEmbeddingEndpoint(options: EmbeddingEndpointOptions): EmbeddingEndpoint {
  const { models, token, log, bodyTimeoutMs = BODY_TIMEOUT_MS } = options;
  const documents = new FairSlots(DOCUMENT_REQUESTS_AT_ONCE, { reserved: EXPRESS_REQUESTS });
  const byName = new Map(models.map((one) => [servedModelOf(one.space), one]));
  const doorOf = queryDoors([...byName.keys()]);

  const answer = async (request: IncomingMessage, response: ServerResponse, { lane, signal }: Asked) => {
    const asked = EmbeddingsRequest.parse(JSON.parse(await within(bodyTimeoutMs, readBody(request))));
    const { model } = asked;
    const embedder = byName.get(model);
    if (!embedder) return refuse(response, 404, `This worker embeds with ${[...byName.keys()].join(', ')}.`);
    const vectors =
      lane === 'query'
        ? await embedder.embed(asked.input, 'query', { signal })
        : await embedder.embed(asked.input, 'document', { lane, share: '', signal });
    const data = vectors.map((vector, index) => ({ object: 'embedding', index, embedding: Array.from(vector) }));
    send(response, 200, { object: 'list', model, data, usage: { prompt_tokens: 0, total_tokens: 0 } });
  };

  return async (request, response) => {
    if (request.method !== 'POST') return refuse(response, 405, 'Send texts with POST.');
    if (!isToken(token, request)) return refuse(response, 401, 'Send the token of this worker (LOCI_EMBEDDER_TOKEN).');
    const { data: lane } = Lane.safeParse(request.headers[LANE_HEADER]);
    if (lane === undefined) return refuse(response, 400, `Send ${LANE_HEADER}: ${Lane.unwrap().options.join(', ')}.`);
    const left = new AbortController();
    response.once('close', () => left.abort());
    try {
      const asked = { lane, signal: left.signal };
      const slots = lane === 'query' ? doorOf(request.headers[MODEL_HEADER]) : documents;
      const place = { lane: lane === 'express' ? 'express' : 'bulk', signal: left.signal } as const;
      await slots.run(() => answer(request, response, asked), place);
    } catch (error) {
      if (!left.signal.aborted) fail(response, log, error);
    }
  };
}

/** Returns the door of a model, which those of other models do not fill. Requests that do not say which one have one together. */
function queryDoors(models: readonly string[]): (named: unknown) => FairSlots {
  const doors = new Map(models.map((model) => [encodeURIComponent(model), new FairSlots(QUERY_REQUESTS_AT_ONCE)]));
  const unnamed = new FairSlots(QUERY_REQUESTS_AT_ONCE);
  return (named) => (typeof named === 'string' && doors.get(named)) || unnamed;
}

function isToken(token: Secret, { headers }: IncomingMessage): boolean {
  const given = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(sha256(given), sha256(token.reveal()));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

class LateBody extends Error {}

/** @throws LateBody */
async function within<Result>(limitMs: number, body: Promise<Result>): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new LateBody()), limitMs);
  try {
    return await Promise.race([body, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** @throws RangeError for a body that is too large */
async function readBody(request: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) throw new RangeError(`The body is larger than ${MAX_BODY_BYTES} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Errors of the request have statuses that are not retried. */
function fail(response: ServerResponse, log: Log, error: unknown): void {
  if (error instanceof LateBody) return refuse(response, 408, 'The body did not arrive in time.');
  if (error instanceof RangeError) return refuse(response, 413, error.message);
  if (error instanceof SyntaxError || error instanceof z.ZodError)
    return refuse(response, 400, `Send JSON with a model and an input of 1 to ${MAX_TEXTS} texts.`);
  if (error instanceof AppError && error.code === 'embedding_rejected') return refuse(response, 422, error.message);
  log.warn({ error }, 'texts of another process could not be embedded');
  response.setHeader('retry-after', RETRY_AFTER_S);
  refuse(response, 503, 'The model does not answer; try again shortly.');
}

function refuse(response: ServerResponse, status: number, message: string): void {
  // What was not read of the body is not waited for.
  response.setHeader('connection', 'close');
  send(response, status, { error: { message, type: status < 500 ? 'invalid_request_error' : 'server_error' } });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
