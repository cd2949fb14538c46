import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Embedder } from '#domain/embedder.ts';
import { createSilentLog } from '#observability/log.ts';
import { createLocalEmbedder } from '#providers/embedders/local.ts';
import { createRemoteModelEmbedder } from '#providers/embedders/remote-model.ts';
import { Secret } from '#security/secret.ts';
import { createEmbeddingEndpoint } from '#workers/embedding-endpoint.ts';

const folder = process.env['LOCI_EMBEDDER_FOLDER'] ?? '';
const isPresent = folder !== '' && existsSync(join(folder, 'tokenizer.json'));
const withModel = isPresent ? test.serial : test.serial.skip;
if (!isPresent)
  test('skips the tests of a remote model: LOCI_EMBEDDER_FOLDER names no model folder', (t) => t.false(isPresent));

const token = 'x'.repeat(32);
const cacheDir = await mkdtemp(join(tmpdir(), 'loci-cache-'));
const place = { model: 'all-MiniLM-L6-v2', folder, cacheDir };
let shared: Promise<Embedder> | null = null;
test.after.always(async () => {
  await (await shared)?.close();
  await rm(cacheDir, { recursive: true });
});

/** A worker's embeddings, and an embedder that asks it. `change`: what the worker serves instead of the model itself. */
async function openRemote(t: ExecutionContext, change: (local: Embedder) => Embedder = (local) => local) {
  shared ??= createLocalEmbedder({ ...place, threads: 1 });
  const local = await shared;
  const endpoint = createEmbeddingEndpoint({
    models: [change(local)],
    token: new Secret(token),
    log: createSilentLog(),
  });
  const server = createServer((request, response) => void endpoint(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  const remote = await createRemoteModelEmbedder({ ...place, url: `http://127.0.0.1:${port}/`, token });
  t.teardown(async () => {
    await remote.close();
    server.close();
    server.closeAllConnections();
  });
  return { local, remote };
}

withModel('a model that another process has loaded gives the same vectors, in the same space', async (t) => {
  const { local, remote } = await openRemote(t);
  t.deepEqual(remote.space, local.space);
  t.is(remote.maxTokens, local.maxTokens);
  t.deepEqual(remote.tokenCounting, local.tokenCounting);
  const texts = [
    'Barley is sown in spring.',
    '',
    ' \n',
    'x'.repeat(200_000),
    ...Array.from({ length: 70 }, (_, at) => `Note ${at}.`),
  ];
  for (const purpose of ['query', 'document'] as const) {
    const [near, far] = [await local.embed(texts, purpose), await remote.embed(texts, purpose)];
    for (const [at, vector] of near.entries()) {
      const cosine = vector.reduce((sum, value, index) => sum + value * (far[at]?.[index] ?? 0), 0);
      t.true(cosine > 0.9999, `text ${at}`);
    }
  }
});

withModel('a worker with other weights of the same name embeds nothing for this process', async (t) => {
  const { remote } = await openRemote(t, (local) => ({ ...local, space: { ...local.space, model_hash: 'others' } }));
  const error = await t.throwsAsync(remote.embed(['barley'], 'query'));
  t.like(error, { code: 'dependency_unavailable' });
  t.regex(error.message, /LOCI_EMBEDDER_FOLDER/);
});
