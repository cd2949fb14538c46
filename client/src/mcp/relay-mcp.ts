import type { Readable, Writable } from 'node:stream';
import { LociError } from '../loci-error.ts';
import type { Transport } from '../transport.ts';
import { fieldOf, protocolHeaders } from './protocol-headers.ts';
import { readLines } from './read-lines.ts';
import { sendMessage } from './send-message.ts';

export type McpStreams = {
  /** Messages of the client, one a line. */
  input: Readable;
  /** Messages of the service, one a line. */
  output: Writable;
  signal: AbortSignal;
  /** Reports what no message can answer. */
  onProblem: (problem: LociError) => void;
};

/** Codes of JSON-RPC: a line is no message; the service cannot be reached or refuses the request. */
const PARSE_ERROR = -32700;
const INTERNAL_ERROR = -32603;
const NO_ANSWER = 'The service, or a proxy before it, sent no answer to this request.';

/** `version`: of the connection, once it is negotiated. `open`: requests that can be cancelled, by id. */
type Session = { version: string | null; open: Map<unknown, AbortController> };

/**
 * Relays the Model Context Protocol between streams (the stdio transport) and `/mcp` of the service, which decides everything:
 * tools, permissions, limits. Ends when the input does and every request is answered.
 */
export async function relayMcp(transport: Transport, streams: McpStreams): Promise<void> {
  const session: Session = { version: null, open: new Map() };
  const running = new Set<Promise<void>>();
  const close = () => streams.input.destroy();
  streams.signal.addEventListener('abort', close, { once: true });
  try {
    for await (const line of readLines(streams.input)) {
      if (line.trim() === '') continue;
      const relayed = relayLine(transport, line, { streams, session });
      running.add(relayed);
      void relayed.finally(() => running.delete(relayed));
    }
  } catch (error) {
    // An input that is closed ends with an error.
    if (!streams.signal.aborted) throw error;
  }
  await Promise.all(running);
  streams.signal.removeEventListener('abort', close);
}

type Relay = { streams: McpStreams; session: Session };

async function relayLine(transport: Transport, line: string, { streams, session }: Relay): Promise<void> {
  const write = (message: unknown) => void streams.output.write(`${JSON.stringify(message)}\n`);
  const message = parse(line);
  if (message === undefined) return write(failure(null, { code: PARSE_ERROR, message: 'The line is not JSON.' }));
  const [method, id] = [fieldOf(message, 'method'), fieldOf(message, 'id')];
  // Each request is a connection of its own: the one to cancel ends when it is closed.
  if (method === 'notifications/cancelled') {
    session.open.get(fieldOf(fieldOf(message, 'params'), 'requestId'))?.abort();
    return;
  }
  const cancelling = new AbortController();
  if (id !== undefined) session.open.set(id, cancelling);
  const unanswered = requestsOf(message);
  try {
    const headers = protocolHeaders(message, session.version);
    const signal = AbortSignal.any([cancelling.signal, streams.signal]);
    for await (const answer of sendMessage(transport, { text: line, headers, signal })) {
      if (method === 'initialize') session.version = versionOf(answer) ?? session.version;
      for (const one of addressed(answer, unanswered)) write(one);
    }
    for (const open of unanswered) write(failure(open, { code: INTERNAL_ERROR, message: NO_ANSWER }));
  } catch (error) {
    if (cancelling.signal.aborted || streams.signal.aborted) return;
    const problem = problemOf(error);
    if (unanswered.size === 0) streams.onProblem(problem);
    for (const open of unanswered) write(failure(open, errorOf(problem)));
  } finally {
    session.open.delete(id);
  }
}

/** The ids of the requests in a line, which has several of them in old versions of the protocol. */
function requestsOf(message: unknown): Set<unknown> {
  const messages: unknown[] = Array.isArray(message) ? message : [message];
  const requests = messages.filter((one) => fieldOf(one, 'method') !== undefined);
  return new Set(requests.map((one) => fieldOf(one, 'id')).filter((id) => id !== undefined && id !== null));
}

/**
 * Takes what an answer answers out of the requests that have none. An error without an id is about the whole line: it becomes the
 * answer of every such request, because clients would wait for one.
 */
function addressed(answer: unknown, unanswered: Set<unknown>): unknown[] {
  const error = fieldOf(answer, 'error');
  if (error !== undefined && (fieldOf(answer, 'id') ?? null) === null && unanswered.size > 0) {
    const answers = [...unanswered].map((id) => ({ jsonrpc: '2.0', id, error }));
    unanswered.clear();
    return answers;
  }
  const parts: unknown[] = Array.isArray(answer) ? answer : [answer];
  for (const one of parts) if (fieldOf(one, 'method') === undefined) unanswered.delete(fieldOf(one, 'id'));
  return [answer];
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function versionOf(answer: unknown): string | null {
  const version = fieldOf(fieldOf(answer, 'result'), 'protocolVersion');
  return typeof version === 'string' ? version : null;
}

function problemOf(error: unknown): LociError {
  if (error instanceof LociError) return error;
  const detail = `The answer broke off: ${error instanceof Error ? error.message : String(error)}`;
  return new LociError(detail, { status: null, code: 'unreachable', cause: error });
}

function errorOf({ detail, code, status, requestId }: LociError): JsonRpcError {
  const request = requestId === null ? '' : `, request ${requestId}`;
  const data = { code, status, request_id: requestId };
  return { code: INTERNAL_ERROR, message: `${detail} (${code}${request})`, data };
}

type JsonRpcError = { code: number; message: string; data?: unknown };

function failure(id: unknown, error: JsonRpcError) {
  return { jsonrpc: '2.0', id, error };
}
