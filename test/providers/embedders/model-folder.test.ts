import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { readModelFolder } from '#providers/embedders/model-folder.ts';
import { modelUseOf } from '#providers/embedders/model-presets.ts';

test('a preset says how a model is used whose folder does not', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'loci-model-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'model.onnx'), '');
  await writeFile(join(folder, 'tokenizer.json'), '{}');
  await writeFile(join(folder, 'config.json'), '{"max_position_embeddings": 514, "pad_token_id": 1}');
  t.like(await readModelFolder(folder), { pooling: 'mean', maxSequence: 256, prefixes: { query: '', document: '' } });
  t.like(await readModelFolder(folder, modelUseOf({ preset: 'bge-small-en-v1.5' })), {
    pooling: 'cls',
    maxSequence: 512,
    padTokenId: 1,
    prefixes: { query: 'Represent this sentence for searching relevant passages: ', document: '' },
  });
  t.is(
    (await readModelFolder(folder, modelUseOf({ preset: 'nomic-embed-text-v1.5' }))).maxSequence,
    514,
    'what the weights allow',
  );
});

test('a missing folder is named, with the command that fetches a known model', async (t) => {
  const folder = join(tmpdir(), 'loci-no-such-model');
  await t.throwsAsync(readModelFolder(folder), {
    message: /loci-no-such-model cannot be used: the folder does not exist/,
  });
  await t.throwsAsync(readModelFolder(join(tmpdir(), 'loci-no-cache', 'all-MiniLM-L6-v2')), {
    message: /the folder does not exist\. `npm run model -- all-MiniLM-L6-v2` fetches the model into LOCI_CACHE_DIR/,
  });
  await t.throwsAsync(readModelFolder(folder, modelUseOf({ preset: 'e5-base-v2' })), {
    message:
      /`npm run model -- e5-base-v2` fetches the model.*`hf download Xenova\/e5-base-v2 --local-dir \S*loci-no-such-model`/,
  });
});
