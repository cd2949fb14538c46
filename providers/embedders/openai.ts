import type { Embedder } from '#domain/embedder.ts';
import type { ServerSettings } from './embedding-error.ts';
import { modelUseOf, useMark, type Prefixes, type PresetName } from './model-presets.ts';
import { createServerEmbedder } from './server-embedder.ts';

export type OpenAIOptions = {
  /** Base URL of the API, including `/v1`. */
  baseUrl: string;
  apiKey: string | null;
  model: string;
  dimensions: number;
  /** The model that the server runs; null: no prefixes, and a cautious limit of tokens. */
  preset?: PresetName | null;
  /** Prepended to texts, without a preset. */
  prefixes?: Prefixes | null;
  /** By default those of `LOCI_EMBEDDER=openai`. */
  settings?: ServerSettings;
};

/** The API does not report a model's input limit. Most read 512 tokens or more, and chunks are smaller than that. */
const MAX_TOKENS = 512;
/** UTF-8 bytes per token, a conservative estimate for subword vocabularies. */
const CHARACTERS_PER_TOKEN = 3.5;
const SETTINGS: ServerSettings = {
  address: 'LOCI_OPENAI_BASE_URL',
  key: 'LOCI_OPENAI_API_KEY',
  dimensions: 'LOCI_OPENAI_DIMENSIONS',
  model: 'LOCI_EMBEDDER_MODEL',
};

/**
 * Creates an embedder for any server with the OpenAI API (OpenAI, Ollama, vLLM, TEI): see `createServerEmbedder`. A preset adds the
 * prefixes of its model.
 */
export function createOpenAIEmbedder(options: OpenAIOptions): Embedder {
  const { baseUrl, apiKey, model, dimensions, settings = SETTINGS } = options;
  const use = modelUseOf(options);
  const server = createServerEmbedder(
    { baseUrl, apiKey, model, settings },
    {
      space: { provider: 'openai', model, model_hash: useMark(use) ?? 'unversioned', dimensions },
      maxTokens: use.preset?.maxSequence ?? MAX_TOKENS,
      tokenCounting: { kind: 'estimate', charactersPerToken: CHARACTERS_PER_TOKEN },
    },
  );
  const prefixes = use.preset?.prefixes ?? use.prefixes;
  if (prefixes === null) return server;
  const withPrefix = (texts: readonly string[], purpose: 'query' | 'document') =>
    texts.map((text) => prefixes[purpose] + text);
  return { ...server, embed: (texts, purpose, request) => server.embed(withPrefix(texts, purpose), purpose, request) };
}
