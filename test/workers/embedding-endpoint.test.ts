import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { AppError } from '#domain/app-error.ts';
import type { Embedder } from '#domain/embedder.ts';
import { LANE_HEADER, MODEL_HEADER, servedModelOf } from '#domain/served-model.ts';
import { createSilentLog } from '#observability/log.ts';
import { createLexicalEmbedder } from '#providers/embedders/index.ts';
import { Secret } from '#security/secret.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { createEmbeddingEndpoint } from '#workers/embedding-endpoint.ts';

const TOKEN = 'a token that is long enough to be one'.replaceAll(' ', '-');
const Answer = z.object({ data: z.array(z.object({ index: z.number(), embedding: z.array(z.number()) })) });
const lexical = createLexicalEmbedder();
const model = servedModelOf(lexical.space);

async function openEndpoint(t: ExecutionContext, served: Embedder | Embedder[] = lexical, bodyTimeoutMs = 60_000) {
  const endpoint = createEmbeddingEndpoint({
    models: [served].flat(),
    token: new Secret(TOKEN),
    log: createSilentLog(),
    bodyTimeoutMs,
  });
  const server = createServer((request, response) => void endpoint(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return async (body: string | ReadableStream, headers: Record<string, string> = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, ...headers },
      body,
      duplex: 'half',
    });
    const answer: unknown = await response.json();
    return { status: response.status, retryAfter: response.headers.get('retry-after'), answer };
  };
}

test('a worker embeds one text or several for whoever has its token', async (t) => {
  const ask = await openEndpoint(t);
  const texts = ['barley and oats', 'a turbine'];
  const { status, answer } = await ask(JSON.stringify({ model, input: texts }));
  t.is(status, 200);
  const expected = await lexical.embed(texts, 'document');
  t.deepEqual(
    Answer.parse(answer).data.map(({ embedding }) => embedding),
    expected.map((vector) => Array.from(vector)),
  );
  const one = await ask(JSON.stringify({ model, input: texts[1] }));
  t.deepEqual(Answer.parse(one.answer).data[0]?.embedding, Array.from(expected[1] ?? []));
});

test('a worker with several models embeds with the one that is asked for', async (t) => {
  const other: Embedder = {
    ...lexical,
    space: { ...lexical.space, model: 'other' },
    embed: async (texts) => texts.map(() => Float32Array.of(1)),
  };
  const ask = await openEndpoint(t, [lexical, other]);
  const dimensionsOf = async (asked: string) => {
    const { answer } = await ask(JSON.stringify({ model: asked, input: 'barley' }));
    return Answer.parse(answer).data[0]?.embedding.length;
  };
  t.is(await dimensionsOf(model), lexical.space.dimensions);
  t.is(await dimensionsOf(servedModelOf(other.space)), 1);
});

test('queries of a model that is still loaded do not hold back those of another', async (t) => {
  const gate = Promise.withResolvers<void>();
  let waiting = 0;
  const cold: Embedder = {
    ...lexical,
    space: { ...lexical.space, model: 'kalt ❄' },
    embed: async (texts) => {
      waiting += 1;
      await gate.promise;
      return texts.map(() => Float32Array.of(1));
    },
  };
  const ask = await openEndpoint(t, [lexical, cold]);
  const query = (asked: string) =>
    ask(JSON.stringify({ model: asked, input: 'barley' }), {
      [LANE_HEADER]: 'query',
      [MODEL_HEADER]: encodeURIComponent(asked),
    });
  const cools = Array.from({ length: 12 }, () => query(servedModelOf(cold.space)));
  await eventually('the door of the cold model is full', async () => waiting === 8);
  t.is((await query(model)).status, 200);
  gate.resolve();
  t.deepEqual([...new Set((await Promise.all(cools)).map(({ status }) => status))], [200]);
});

test('nobody else gets vectors, and no other model is taken for this one', async (t) => {
  const ask = await openEndpoint(t);
  const body = JSON.stringify({ model, input: 'barley' });
  for (const authorization of ['', 'Bearer', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`]) {
    t.is((await ask(body, { authorization })).status, 401);
  }
  const other = servedModelOf({ ...lexical.space, model_hash: 'other weights' });
  t.is((await ask(JSON.stringify({ model: other, input: 'barley' }))).status, 404);
});

test('refuses what is no request, too many texts and too many bytes', async (t) => {
  const ask = await openEndpoint(t);
  t.is((await ask('{')).status, 400);
  t.is((await ask(JSON.stringify({ model, input: [] }))).status, 400);
  t.is((await ask(JSON.stringify({ model, input: Array.from({ length: 257 }, () => 'x') }))).status, 400);
  const fast = await ask(JSON.stringify({ model, input: 'x' }), { [LANE_HEADER]: 'fast' });
  t.like(fast, { status: 400, answer: { error: { message: 'Send x-loci-lane: query, express, bulk.' } } });
  t.is((await ask(JSON.stringify({ model, input: 'x'.repeat(4 * 1024 * 1024) }))).status, 413);
});

test('tells the model whether a text is a query or a document, and who waits for it', async (t) => {
  const asked: unknown[] = [];
  const ask = await openEndpoint(t, {
    ...lexical,
    embed: (texts, purpose, options) => {
      asked.push([purpose, options?.lane]);
      return lexical.embed(texts, purpose);
    },
  });
  const body = JSON.stringify({ model, input: 'barley' });
  for (const lane of ['query', 'express', 'bulk']) await ask(body, { [LANE_HEADER]: lane });
  await ask(body);
  t.deepEqual(asked, [
    ['query', undefined],
    ['document', 'express'],
    ['document', 'bulk'],
    ['document', 'bulk'],
  ]);
});

test('queries do not wait for documents, however many wait, nor express documents for others', async (t) => {
  const gate = Promise.withResolvers<void>();
  t.teardown(() => gate.resolve());
  const begun = { bulk: 0, express: 0 };
  const ask = await openEndpoint(t, {
    ...lexical,
    embed: async (texts, purpose, options) => {
      if (purpose === 'document') {
        begun[options?.lane ?? 'bulk'] += 1;
        if (options?.lane !== 'express') await gate.promise;
      }
      return lexical.embed(texts, purpose);
    },
  });
  const body = JSON.stringify({ model, input: 'barley' });
  const documents = Array.from({ length: 40 }, () => ask(body, { [LANE_HEADER]: 'bulk' }));
  await eventually('the documents fill their part', async () => begun.bulk === 12, { everyMs: 10 });
  t.is((await ask(body, { [LANE_HEADER]: 'query' })).status, 200);
  t.is((await ask(body, { [LANE_HEADER]: 'express' })).status, 200);
  t.deepEqual(begun, { bulk: 12, express: 1 });
  gate.resolve();
  t.true((await Promise.all(documents)).every(({ status }) => status === 200));
});

test('a body that does not arrive while it is read is not waited for', async (t) => {
  const ask = await openEndpoint(t, lexical, 100);
  const stuck = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('{"model":')) });
  t.is((await ask(stuck)).status, 408);
  t.is((await ask(JSON.stringify({ model, input: 'barley' }))).status, 200);
});

test('says which failures may be repeated', async (t) => {
  const failing = (error: Error) =>
    openEndpoint(t, {
      ...lexical,
      embed: async () => {
        throw error;
      },
    });
  const body = JSON.stringify({ model, input: 'barley' });
  const away = await (await failing(new Error('the thread has ended')))(body);
  t.deepEqual([away.status, away.retryAfter], [503, '5']);
  t.is((await (await failing(new AppError('embedding_rejected', 'Not this text.')))(body)).status, 422);
});
