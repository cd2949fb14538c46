import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';

/** `cohere`: as Cohere and Jina have the call; `tei`: as Text Embeddings Inference has it. */
export type RerankServerKind = 'cohere' | 'tei';

const Cohere = z.strictObject({
  model: z.string(),
  query: z.string(),
  documents: z.array(z.string()).min(1),
  top_n: z.int().min(1).optional(),
});
const Tei = z.object({ query: z.string(), texts: z.array(z.string()).min(1).max(32), truncate: z.literal(true) });

export type RerankAsked = { query: string; passages: string[]; headers: IncomingHttpHeaders };

/** One score for each passage; another answer; no answer at all; or an answer without an end. */
export type RerankBehaviour = (asked: RerankAsked) => Outcome | Promise<Outcome>;
type Outcome =
  | number[]
  | { status: number; headers?: Record<string, string>; body?: unknown }
  | { raw: string }
  | 'silent'
  | 'endless';

export type RerankServer = {
  /** Below it is `/rerank`. */
  baseUrl: string;
  /** Calls of the right form. */
  asked: RerankAsked[];
  /** Calls of any form. */
  calls(): number;
  /** Calls that were given up before they were answered. */
  abandoned(): number;
  behave(behaviour: RerankBehaviour): void;
  close(): Promise<void>;
};

/** Scores a passage by the part of the words of the query that it has. */
export const scoreByWords: RerankBehaviour = ({ query, passages }) => {
  const words = query.toLowerCase().split(/\W+/).filter(Boolean);
  return passages.map((text) => words.filter((word) => text.toLowerCase().includes(word)).length / words.length);
};

/** Starts a server with the rerank call on a free port. The caller closes it at the end of the test. */
export async function startRerankServer(
  kind: RerankServerKind,
  firstBehaviour: RerankBehaviour = scoreByWords,
): Promise<RerankServer> {
  let behaviour = firstBehaviour;
  let calls = 0;
  let abandoned = 0;
  const asked: RerankAsked[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      calls += 1;
      response.once('close', () => (abandoned += response.writableFinished ? 0 : 1));
      const parts: Uint8Array[] = [];
      for await (const part of request) parts.push(part);
      const read = readBody(kind, JSON.parse(Buffer.concat(parts).toString()));
      if (request.url !== '/rerank' || read === null) {
        send(response, { status: request.url === '/rerank' ? 422 : 404, body: { error: 'not so' } });
        return;
      }
      const call = { ...read, headers: request.headers };
      asked.push(call);
      await answer(response, { kind, outcome: await behaviour(call) });
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    asked,
    calls: () => calls,
    abandoned: () => abandoned,
    behave: (next) => (behaviour = next),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function readBody(kind: RerankServerKind, body: unknown): Pick<RerankAsked, 'query' | 'passages'> | null {
  if (kind === 'tei') {
    const { data } = Tei.safeParse(body);
    return data === undefined ? null : { query: data.query, passages: data.texts };
  }
  const { data } = Cohere.safeParse(body);
  return data === undefined ? null : { query: data.query, passages: data.documents };
}

async function answer(
  response: ServerResponse,
  { kind, outcome }: { kind: RerankServerKind; outcome: Outcome },
): Promise<void> {
  if (outcome === 'silent') return;
  if (outcome === 'endless') {
    response.writeHead(200, { 'content-type': 'application/json' });
    await pipeline(Readable.from(spaces()), response).catch(() => undefined);
    return;
  }
  if (!Array.isArray(outcome)) {
    if ('raw' in outcome) response.writeHead(200, { 'content-type': 'application/json' }).end(outcome.raw);
    else send(response, { ...outcome, body: outcome.body ?? { error: 'refused' } });
    return;
  }
  // Both return the best first.
  const ranked = outcome.map((score, index) => ({ index, score })).sort((a, b) => b.score - a.score);
  const body =
    kind === 'tei'
      ? ranked
      : { id: 'x', results: ranked.map(({ index, score }) => ({ index, relevance_score: score })), meta: {} };
  send(response, { status: 200, body });
}

function* spaces(): Generator<string> {
  for (;;) yield ' '.repeat(65_536);
}

function send(
  response: ServerResponse,
  { status, headers, body }: { status: number; headers?: Record<string, string>; body: unknown },
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
