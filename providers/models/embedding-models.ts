import type { ProviderModel } from '#domain/records/provider-model.ts';

/**
 * Widely used embedding models that the packaged catalogue, which covers chat models, does not contain. Facts and list prices are
 * from the providers' pages.
 */
const KNOWN = [
  ['openai', 'text-embedding-3-small', 'Text Embedding 3 Small', 8192, 0.02, '2024-01-25'],
  ['openai', 'text-embedding-3-large', 'Text Embedding 3 Large', 8192, 0.13, '2024-01-25'],
  ['openai', 'text-embedding-ada-002', 'Text Embedding Ada 002', 8192, 0.1, '2022-12-15'],
  ['google', 'gemini-embedding-001', 'Gemini Embedding 001', 2048, 0.15, '2025-07-14'],
  ['mistral', 'mistral-embed', 'Mistral Embed', 8192, 0.1, '2023-12-11'],
] as const;

export const EMBEDDING_MODELS: readonly ProviderModel[] = KNOWN.map(
  ([provider, id, name, contextWindow, inputPrice, releaseDate]) => ({
    id,
    name,
    provider,
    type: 'embedding',
    context_window: contextWindow,
    max_output_tokens: null,
    modalities: { input: ['text'], output: ['embedding'] },
    capabilities: [],
    pricing: { input: inputPrice, output: 0, currency: 'USD' },
    release_date: releaseDate,
    status: 'active',
  }),
);
