import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Embedder, EmbeddingSpace } from '#domain/embedder.ts';
import { loadTokenizer } from '#providers/chunkers/token-counter.ts';
import { unusableModel } from '#providers/local-models/unusable-model.ts';
import {
  hashFile,
  maxCharactersOf,
  modelFolderOf,
  modelHashOf,
  readModelFolder,
  type ModelFolder,
  type ModelPlace,
} from './model-folder.ts';
import { modelUseOf } from './model-presets.ts';
import { createTextEncoder } from './text-encoder.ts';

/** Changes the length of vectors after pooling, in models that have it. */
const DENSE = '2_Dense';

/** What the files of a model say about its vectors. */
export type ModelDescription = Pick<Embedder, 'maxTokens' | 'tokenCounting'> & {
  space: EmbeddingSpace;
  /** More of a text is not read. */
  maxCharacters: number;
  files: ModelFolder;
};

/**
 * Describes a local model as `createLocalEmbedder` does, without loading its weights, which are read once for their hash.
 * @throws Error that names the setting to change when the folder holds no usable model.
 */
export async function describeModel(place: ModelPlace & { dimensions?: number | null }): Promise<ModelDescription> {
  const use = modelUseOf(place);
  const described = await readModelFolder(modelFolderOf(place), use);
  const { folder, weightsPath, maxSequence } = described;
  const dimensions = use.preset?.dimensions ?? place.dimensions ?? described.dimensions;
  if (dimensions === null)
    throw unusableModel(folder, 'config.json does not say how many dimensions its vectors have (hidden_size)');
  if (use.preset && (described.dimensions ?? dimensions) !== dimensions) {
    const reason = `its vectors have ${described.dimensions} dimensions, those of ${place.preset} ${dimensions}: it is another model`;
    throw unusableModel(folder, reason);
  }
  if (place.dimensions && (described.dimensions ?? dimensions) !== dimensions && !existsSync(join(folder, DENSE))) {
    const reason = `its vectors have ${described.dimensions} dimensions (hidden_size in config.json), not ${dimensions}: leave out "dimensions"`;
    throw unusableModel(folder, reason);
  }
  const { maxTokens } = createTextEncoder(await loadTokenizer(folder), maxSequence);
  const model_hash = modelHashOf(await hashFile(weightsPath), use);
  return {
    space: { provider: 'local', model: place.model, model_hash, dimensions },
    maxTokens,
    tokenCounting: { kind: 'tokenizer', folder },
    maxCharacters: maxCharactersOf(maxTokens),
    files: described,
  };
}
