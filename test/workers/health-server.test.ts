import { once } from 'node:events';
import { connect } from 'node:net';
import type { Worker } from '@temporalio/worker';
import test from 'ava';
import { servedModelOf } from '#domain/served-model.ts';
import { createSilentLog } from '#observability/log.ts';
import { createLexicalEmbedder } from '#providers/embedders/index.ts';
import { Secret } from '#security/secret.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';
import { freePorts } from '#stack/stack-ports.ts';
import { createEmbeddingEndpoint } from '#workers/embedding-endpoint.ts';
import { openHealthServer } from '#workers/health-server.ts';

const none = { workers: () => [], sdkMetrics: async () => '', embeddings: null };

test('a worker with loops alone is ready once it is connected to Temporal, not before', async (t) => {
  const { services } = await openOwnServices(t);
  const state: { workers: readonly Worker[] | null } = { workers: null };
  const address = { host: '127.0.0.1', port: (await freePorts()).worker };
  const health = await openHealthServer(services, address, { ...none, workers: () => state.workers });
  t.teardown(() => health.close());
  const statusOf = async () => (await fetch(`http://${address.host}:${address.port}/readyz`)).status;
  t.is(await statusOf(), 503);
  state.workers = [];
  t.is(await statusOf(), 200);
});

test('a worker is not ready while Temporal does not answer, although its workers run on', async (t) => {
  const { services } = await openOwnServices(t, { temporal: 'away' });
  const address = { host: '127.0.0.1', port: (await freePorts()).worker };
  const health = await openHealthServer(services, address, none);
  t.teardown(() => health.close());
  const answer = await fetch(`http://${address.host}:${address.port}/readyz`);
  t.is(answer.status, 503);
  t.like(await answer.json(), { ready: false, dependencies: { temporal: { ok: false }, postgres: { ok: true } } });
});

test('texts whose turn comes late are embedded, and who sends no request is not waited for', async (t) => {
  const { services } = await openOwnServices(t, { temporal: 'away' });
  const gate = Promise.withResolvers<void>();
  const lexical = createLexicalEmbedder();
  let begun = 0;
  const embed: typeof lexical.embed = async (texts, purpose) => {
    begun += 1;
    await gate.promise;
    return lexical.embed(texts, purpose);
  };
  const token = 'a-token-that-is-long-enough-to-be-one';
  const embeddings = createEmbeddingEndpoint({
    models: [{ ...lexical, embed }],
    token: new Secret(token),
    log: createSilentLog(),
  });
  const address = { host: '127.0.0.1', port: (await freePorts()).worker };
  const health = await openHealthServer(services, { ...address, headersTimeoutMs: 2_000 }, { ...none, embeddings });
  t.teardown(() => health.close());
  const ask = (text: string) =>
    fetch(`http://${address.host}:${address.port}/v1/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ model: servedModelOf(lexical.space), input: text }),
    });
  const first = Array.from({ length: 12 }, () => ask('barley'));
  await eventually('the first fill the door', async () => begun === 12, { everyMs: 10 });
  const late = ask('barley '.repeat(300_000));
  const silent = connect(address.port, address.host);
  silent.resume().write('GET /livez HTTP/1.1\r\n');
  await once(silent, 'close');
  gate.resolve();
  t.is((await late).status, 200);
  await Promise.all(first);
});
