import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { AppError } from '#domain/app-error.ts';
import type { Embedder } from '#domain/embedder.ts';
import { createLazyModelEmbedder } from '#providers/embedders/lazy-model.ts';

const folder = process.env['LOCI_EMBEDDER_FOLDER'] ?? '';
const withModel = existsSync(join(folder, 'tokenizer.json')) ? test.serial : test.serial.skip;

/** A copy of the model; `noCache`: of whose weights no optimized copy can be kept. */
async function copyModel(t: ExecutionContext, { noCache = false } = {}) {
  const root = await mkdtemp(join(tmpdir(), 'loci-model-'));
  t.teardown(() => rm(root, { recursive: true }));
  const copy = join(root, 'model');
  await cp(folder, copy, { recursive: true });
  const cacheDir = join(root, 'cache');
  if (noCache) await writeFile(cacheDir, 'not a folder');
  const place = { name: 'copy', model: 'm', folder: copy, cacheDir, threads: 1 };
  return { copy, place, weights: join(copy, 'onnx', 'model_quantized.onnx') };
}

async function failureOf(embedder: Embedder, lane: 'express' | 'bulk' = 'express'): Promise<string> {
  const error: unknown = await embedder.embed(['x'], 'document', { lane }).catch((thrown: unknown) => thrown);
  return error instanceof AppError ? `${error.code}: ${error.message}` : `no AppError: ${String(error)}`;
}

const UNAVAILABLE = 'dependency_unavailable: The model of the embedder "copy" (local/m) cannot be loaded: ';
const CHANGED = `${UNAVAILABLE}its files are others than when this process started: restart it.`;

withModel('a model that cannot be loaded, or was replaced, is unavailable, and says why', async (t) => {
  const { place, weights, copy } = await copyModel(t);
  const original = await readFile(weights);
  await writeFile(weights, 'no model');
  const damaged = await createLazyModelEmbedder(place);
  t.is(await failureOf(damaged), `${UNAVAILABLE}its weights cannot be loaded.`);
  t.deepEqual(await damaged.embed([], 'query'), []);
  await damaged.close();
  await writeFile(weights, original);
  const lazy = await createLazyModelEmbedder(place);
  await rm(weights);
  t.true((await failureOf(lazy)).startsWith(`${UNAVAILABLE}it contains none of onnx/model_quantized.onnx`));
  await writeFile(weights, original);
  await writeFile(join(copy, 'config_sentence_transformers.json'), JSON.stringify({ prompts: { query: 'find: ' } }));
  t.is(await failureOf(lazy), CHANGED, 'prompts that are not part of the space count as well');
  await lazy.close();
});

withModel('dimensions that config.json contradicts are refused at the start', async (t) => {
  const { place, copy } = await copyModel(t);
  await t.throwsAsync(createLazyModelEmbedder({ ...place, dimensions: 256 }), {
    message: /its vectors have 384 dimensions \(hidden_size in config\.json\), not 256: leave out "dimensions"/,
  });
  const config: object = JSON.parse(await readFile(join(copy, 'config.json'), 'utf8'));
  await writeFile(join(copy, 'config.json'), JSON.stringify({ ...config, hidden_size: null }));
  const wrong = await createLazyModelEmbedder({ ...place, dimensions: 256 });
  t.is(
    await failureOf(wrong),
    `${UNAVAILABLE}its vectors have 384 dimensions, not 256: correct "dimensions" of the embedder.`,
  );
  await wrong.close();
});

withModel('files that change after a model was loaded fail no upload for good', async (t) => {
  const { place, weights } = await copyModel(t, { noCache: true });
  const lazy = await createLazyModelEmbedder(place);
  await lazy.embed(['x'], 'query');
  await writeFile(weights, Buffer.concat([await readFile(weights), Buffer.from('!')]));
  t.is(
    await failureOf(lazy, 'bulk'),
    'dependency_unavailable: The embedding model cannot be loaded: its files were replaced while it was in use.',
  );
  t.regex(
    await failureOf(lazy, 'bulk'),
    /^dependency_unavailable: The model of the embedder "copy".* cannot be loaded/,
  );
  await lazy.close();
});
