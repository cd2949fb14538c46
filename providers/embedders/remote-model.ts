import type { Embedder } from '#domain/embedder.ts';
import { LANE_HEADER, servedModelOf } from '#domain/served-model.ts';
import { loadTokenizer } from '#providers/chunkers/token-counter.ts';
import { unusableModel } from '#providers/local-models/unusable-model.ts';
import {
  hashFile,
  maxCharactersOf,
  modelFolderOf,
  modelHashOf,
  readModelFolder,
  type ModelPlace,
} from './model-folder.ts';
import { presetOf } from './model-presets.ts';
import { createServerEmbedder } from './server-embedder.ts';
import { createTextEncoder } from './text-encoder.ts';

/** `url`: of a worker that has the model loaded, without a path. */
export type RemoteModelOptions = ModelPlace & { url: string; token: string };

const SETTINGS = {
  address: 'LOCI_EMBEDDER_URL, LOCI_EMBEDDER_FOLDER (the same files as there)',
  key: 'LOCI_EMBEDDER_TOKEN (the same as there)',
  dimensions: 'its configuration',
};

/**
 * Creates an embedder for the local model that asks a worker instead of loading it. The files of the model say which vectors these
 * are, so that collections stay the same whoever embeds; a worker with other weights refuses. Errors as of `createServerEmbedder`.
 * @throws Error that names the setting to change when the folder holds no usable model.
 */
export async function createRemoteModelEmbedder(options: RemoteModelOptions): Promise<Embedder> {
  const preset = presetOf(options.preset ?? null);
  const described = await readModelFolder(modelFolderOf(options), preset);
  const { folder, weightsPath, maxSequence } = described;
  const dimensions = preset?.dimensions ?? described.dimensions;
  if (dimensions === null) throw unusableModel(folder, 'config.json has no hidden_size, which LOCI_EMBEDDER_URL needs');
  const { model, token } = options;
  const space = {
    provider: 'local',
    model,
    model_hash: modelHashOf(await hashFile(weightsPath), preset),
    dimensions,
  } as const;
  const { maxTokens } = createTextEncoder(await loadTokenizer(folder), maxSequence);
  const server = createServerEmbedder(
    {
      baseUrl: `${options.url.replace(/\/+$/, '')}/v1`,
      apiKey: token,
      model: servedModelOf(space),
      settings: SETTINGS,
      headersOf: ({ lane }) => ({ [LANE_HEADER]: lane }),
      acceptsBlank: true,
    },
    { space, maxTokens, tokenCounting: { kind: 'tokenizer', folder } },
  );
  const maxCharacters = maxCharactersOf(maxTokens);
  return {
    ...server,
    embed: (texts, purpose, request) =>
      server.embed(
        texts.map((text) => text.slice(0, maxCharacters)),
        purpose,
        request,
      ),
  };
}
