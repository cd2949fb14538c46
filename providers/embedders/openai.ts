import type { Embedder } from '#domain/embedder.ts';
import type { ServerSettings } from './embedding-error.ts';
import { withLongDocuments } from './long-documents.ts';
import {
  BYTES_PER_TOKEN,
  modelUseOf,
  tokensOfLongerPrefix,
  useMark,
  type Prefixes,
  type PresetName,
} from './model-presets.ts';
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
  /** Most tokens that the server reads of a text, prefixes included; null: as many as the preset says, or a cautious limit. */
  maxTokens?: number | null;
  /** By default those of `LOCI_EMBEDDER=openai`. */
  settings?: ServerSettings;
};

/** The API does not report a model's input limit. Most read 512 tokens or more. */
const MAX_TOKENS = 512;
const SETTINGS: ServerSettings = {
  address: 'LOCI_OPENAI_BASE_URL',
  key: 'LOCI_OPENAI_API_KEY',
  dimensions: 'LOCI_OPENAI_DIMENSIONS',
  model: 'LOCI_EMBEDDER_MODEL',
};

/**
 * Creates an embedder for any server with the OpenAI API (OpenAI, Ollama, vLLM, TEI): see `createServerEmbedder`. A preset adds the
 * prefixes of its model. Documents that may be too long for it are embedded in parts.
 */
export function createOpenAIEmbedder(options: OpenAIOptions): Embedder {
  const { baseUrl, apiKey, model, dimensions, settings = SETTINGS } = options;
  const use = modelUseOf(options);
  const maxTokens =
    options.maxTokens || !use.preset
      ? (options.maxTokens ?? MAX_TOKENS) - tokensOfLongerPrefix(use.preset?.prefixes ?? use.prefixes)
      : use.preset.maxSequence;
  const prefixes = use.preset?.prefixes ?? use.prefixes;
  const server = createServerEmbedder(
    { baseUrl, apiKey, model, settings, prefixes },
    {
      space: { provider: 'openai', model, model_hash: useMark(use) ?? 'unversioned', dimensions },
      maxTokens,
      tokenCounting: { kind: 'estimate', charactersPerToken: BYTES_PER_TOKEN },
    },
  );
  return { ...server, embed: withLongDocuments(server, Math.floor(maxTokens * BYTES_PER_TOKEN)) };
}
