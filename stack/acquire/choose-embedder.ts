import { acquireEmbeddingModel } from './acquire-embedding-model.ts';
import type { AcquireContext } from './acquire-context.ts';
import { PRESET_NAMES } from '#providers/embedders/model-presets.ts';
import { acquirePresetModel } from './acquire-preset-model.ts';
import { StackError } from '#stack/stack-error.ts';
import { EMBEDDING_MODEL } from '#stack/versions.ts';

/**
 * Returns the embedder settings to add to the environment: none if the environment selects `openai` or `lexical`,
 * otherwise those of the local model, otherwise `lexical` with the reason.
 * @throws StackError if the environment selects `local` and its model cannot be obtained
 */
export async function chooseEmbedder(context: AcquireContext): Promise<Record<string, string>> {
  const { LOCI_EMBEDDER: embedder, LOCI_EMBEDDER_FOLDER: folder } = context.environment;
  const model = context.environment['LOCI_EMBEDDER_MODEL'] ?? context.environment['LOCI_EMBEDDER_PRESET'];
  if (embedder === 'openai' || embedder === 'lexical') return {};
  if (model !== undefined && model !== EMBEDDING_MODEL.name && folder === undefined) {
    return obtainPreset(model, context);
  }
  const acquired = await acquireEmbeddingModel(context);
  if ('folder' in acquired) return { LOCI_EMBEDDER: 'local', LOCI_EMBEDDER_FOLDER: acquired.folder };
  if (embedder === 'local') {
    throw new StackError(
      `LOCI_EMBEDDER is local, but ${acquired.unavailable}\nSet LOCI_EMBEDDER_FOLDER to a folder that contains the model.`,
    );
  }
  return { LOCI_EMBEDDER: 'lexical', LOCI_EMBEDDER_NOTE: acquired.unavailable };
}

/** A model that was asked for by name is never replaced by another one. */
async function obtainPreset(model: string, context: AcquireContext): Promise<Record<string, string>> {
  const preset = PRESET_NAMES.find((name) => name === (context.environment['LOCI_EMBEDDER_PRESET'] ?? model));
  if (preset === undefined) {
    throw new StackError(
      `Only presets can be obtained automatically: ${PRESET_NAMES.join(', ')}. For ${model}, set LOCI_EMBEDDER_FOLDER to its folder.`,
    );
  }
  const isPinned = preset === EMBEDDING_MODEL.name;
  const acquired = isPinned ? await acquireEmbeddingModel(context) : await acquirePresetModel(preset, context);
  // The files of an export often do not say how the model pools.
  if ('folder' in acquired)
    return { LOCI_EMBEDDER: 'local', LOCI_EMBEDDER_PRESET: preset, LOCI_EMBEDDER_FOLDER: acquired.folder };
  throw new StackError(
    `${acquired.unavailable}\nSet HF_ENDPOINT to a mirror that can be reached, or LOCI_EMBEDDER_FOLDER to a folder that contains the model.`,
  );
}
