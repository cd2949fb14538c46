import type { Config } from '#config/index.ts';
import type { Embedder } from '#domain/embedder.ts';
import { UnusableModelError } from '#providers/local-models/unusable-model.ts';
import type { ModelPlaces } from '#providers/local-models/model-places.ts';
import { presetOf } from './model-presets.ts';

export type NamedEmbedderOptions = Config['embedder']['named'][number] & {
  cacheDir: string;
  /** A worker that has the local models; null: this process loads them. */
  remote: { url: string; token: string } | null;
  /** Shared by the local models of this process. */
  places: ModelPlaces;
};

/**
 * Creates one of the embedders of `LOCI_EMBEDDERS`. Nothing connects yet, and no model is loaded.
 * @throws Error that names the setting to change.
 */
export async function createNamedEmbedder(options: NamedEmbedderOptions): Promise<Embedder> {
  const setting = `LOCI_EMBEDDERS.${options.name}`;
  if (options.provider === 'openai') {
    const { createOpenAIEmbedder } = await import('./openai.ts');
    const dimensions = options.dimensions ?? presetOf(options.preset)?.dimensions;
    if (dimensions === undefined) throw new Error(`${setting} needs dimensions or a preset.`);
    const settings = {
      address: `${setting}.base_url`,
      key: `the api_key of ${setting}`,
      dimensions: `${setting}.dimensions`,
      model: `${setting}.model`,
    };
    return createOpenAIEmbedder({ ...options, dimensions, settings });
  }
  try {
    if (options.remote !== null) {
      const { createRemoteModelEmbedder } = await import('./remote-model.ts');
      const settings = { folder: `${setting}.folder`, model: `${setting}.model` };
      return await createRemoteModelEmbedder({ ...options, ...options.remote, settings });
    }
    const { createLazyModelEmbedder } = await import('./lazy-model.ts');
    return await createLazyModelEmbedder(options);
  } catch (error) {
    if (!(error instanceof UnusableModelError)) throw error;
    const remedy =
      `Set "folder" of ${setting} to a folder with onnx/model_quantized.onnx, tokenizer.json, tokenizer_config.json and ` +
      'config.json, or remove this embedder.';
    throw new UnusableModelError(error.folder, { reason: error.reason, remedy }, error.cause);
  }
}
