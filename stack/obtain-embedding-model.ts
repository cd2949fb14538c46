/**
 * `npm run model [-- PRESET]`: obtains an embedding model in LOCI_CACHE_DIR: that of a preset, or by default the one that `npm start`
 * uses, for example for an image.
 */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { acquireEmbeddingModel, type AcquiredModel } from '#stack/acquire/acquire-embedding-model.ts';
import type { AcquireContext } from '#stack/acquire/acquire-context.ts';
import { EMBEDDING_MODEL } from '#stack/versions.ts';

const [name = EMBEDDING_MODEL.name] = process.argv.slice(2);
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
  if (model === EMBEDDING_MODEL.name) return acquireEmbeddingModel(context);
  const { PRESET_NAMES } = await import('#providers/embedders/model-presets.ts');
  const preset = PRESET_NAMES.find((one) => one === model);
  if (preset === undefined) return { unavailable: `"${model}" is none of ${PRESET_NAMES.join(', ')}` };
  const { acquirePresetModel } = await import('#stack/acquire/acquire-preset-model.ts');
  return acquirePresetModel(preset, context);
}
