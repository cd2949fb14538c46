import type { Embedder } from '#domain/embedder.ts';
import { LANE_HEADER, MODEL_HEADER, servedModelOf } from '#domain/served-model.ts';
import { describeModel } from './describe-model.ts';
import type { ModelPlace } from './model-folder.ts';
import { createServerEmbedder } from './server-embedder.ts';

/** `url`: of a worker that has the model loaded, without a path. */
export type RemoteModelOptions = ModelPlace & {
  dimensions?: number | null;
  url: string;
  token: string;
  /** By default those of `LOCI_EMBEDDER=local`. */
  settings?: { folder: string; model: string };
};

function serverSettings({ folder, model } = { folder: 'LOCI_EMBEDDER_FOLDER', model: 'LOCI_EMBEDDER_MODEL' }) {
  return {
    address: `LOCI_EMBEDDER_URL, ${folder} (the same files as there)`,
    key: 'LOCI_EMBEDDER_TOKEN (the same as there)',
    dimensions: 'its configuration',
    model,
  };
}

/**
 * Creates an embedder for the local model that asks a worker instead of loading it. The files of the model say which vectors these
 * are, so that collections stay the same whoever embeds; a worker with other weights refuses. Errors as of `createServerEmbedder`.
 * @throws Error that names the setting to change when the folder holds no usable model.
 */
export async function createRemoteModelEmbedder(options: RemoteModelOptions): Promise<Embedder> {
  const { maxCharacters, files: _, ...described } = await describeModel(options);
  const server = createServerEmbedder(
    {
      baseUrl: `${options.url.replace(/\/+$/, '')}/v1`,
      apiKey: options.token,
      model: servedModelOf(described.space),
      settings: serverSettings(options.settings),
      headersOf: ({ lane }) => ({
        [LANE_HEADER]: lane,
        [MODEL_HEADER]: encodeURIComponent(servedModelOf(described.space)),
      }),
      acceptsBlank: true,
    },
    described,
  );
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
