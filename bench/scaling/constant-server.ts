import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

const EmbeddingsRequest = z.object({ model: z.string(), input: z.array(z.string()) });

/** An embedding server that takes the same time for each call, however many calls it answers and however many texts they have. */
export type ConstantServer = {
  url: string;
  /** Calls of each client, known by its key, since this was asked before. */
  takeCalls(): Map<string, number>;
  close(): void;
};

/** Different vectors, so that the index has the usual work with them. They are written as JSON once. */
const VECTORS = 512;

/** Starts the server, which speaks the embeddings form of the OpenAI API, on a free port of this machine. */
export async function startConstantServer(options: { delayMs: number; dimensions: number }): Promise<ConstantServer> {
  const vectors = Array.from({ length: VECTORS }, (_, number) => JSON.stringify(vectorOf(number, options.dimensions)));
  let calls = new Map<string, number>();
  const server = createServer((request, response) => {
    const answer = async () => {
      const [body] = await Promise.all([json(request), delay(options.delayMs)]);
      const { model, input } = EmbeddingsRequest.parse(body);
      const client = (request.headers.authorization ?? '').replace('Bearer ', '');
      calls.set(client, (calls.get(client) ?? 0) + 1);
      const data = input.map(
        (text, index) => `{"object":"embedding","index":${index},"embedding":${vectors[placeOf(text)]}}`,
      );
      response.writeHead(200, { 'content-type': 'application/json' });
      const usage = '{"prompt_tokens":1,"total_tokens":1}';
      response.end(`{"object":"list","model":${JSON.stringify(model)},"data":[${data.join(',')}],"usage":${usage}}`);
    };
    answer().catch(() => response.writeHead(400).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return {
    url: `http://127.0.0.1:${port}/v1`,
    takeCalls: () => {
      const taken = calls;
      calls = new Map();
      return taken;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function placeOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt16BE(0) % VECTORS;
}

/** A unit vector whose direction depends on the number. */
function vectorOf(number: number, dimensions: number): number[] {
  const raw = Array.from({ length: dimensions }, (_, at) => Math.sin((number + 1) * (at + 1)));
  const length = Math.hypot(...raw);
  return raw.map((value) => Number((value / length).toFixed(6)));
}
