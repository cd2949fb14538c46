import type { Embedder } from '#domain/embedder.ts';
import { presetMark, presetOf, type PresetName } from './model-presets.ts';
import { createServerEmbedder } from './server-embedder.ts';

export type OpenAIOptions = {
  /** Base URL of the API, including `/v1`. */
  baseUrl: string;
  apiKey: string | null;
  model: string;
  dimensions: number;
  /** The model that the server runs; null: no prefixes, and a cautious limit of tokens. */
  preset?: PresetName | null;
};

/** The API does not report a model's input limit. Most read 512 tokens or more, and chunks are smaller than that. */
const MAX_TOKENS = 512;
/** UTF-8 bytes per token, a conservative estimate for subword vocabularies. */
const CHARACTERS_PER_TOKEN = 3.5;
const SETTINGS = {
  address: 'LOCI_OPENAI_BASE_URL',
  key: 'LOCI_OPENAI_API_KEY',
  dimensions: 'LOCI_OPENAI_DIMENSIONS',
};

/**
 * Creates an embedder for any server with the OpenAI API (OpenAI, Ollama, vLLM, TEI): see `createServerEmbedder`. A preset adds the
 * prefixes of its model.
 */
export function createOpenAIEmbedder(options: OpenAIOptions): Embedder {
  const { baseUrl, apiKey, model, dimensions } = options;
  const preset = presetOf(options.preset ?? null);
  const server = createServerEmbedder(
    { baseUrl, apiKey, model, settings: SETTINGS },
    {
      space: { provider: 'openai', model, model_hash: preset ? presetMark(preset) : 'unversioned', dimensions },
      maxTokens: preset?.maxSequence ?? MAX_TOKENS,
      tokenCounting: { kind: 'estimate', charactersPerToken: CHARACTERS_PER_TOKEN },
    },
  );
  if (preset === null) return server;
  const withPrefix = (texts: readonly string[], purpose: 'query' | 'document') =>
    texts.map((text) => preset.prefixes[purpose] + text);
  return { ...server, embed: (texts, purpose, request) => server.embed(withPrefix(texts, purpose), purpose, request) };
}
