import type { ModelCatalogue } from '#domain/model-catalogue.ts';
import { MODEL_TYPES, type ModelProvider, type ProviderModel } from '#domain/records/provider-model.ts';
import { EMBEDDING_MODELS } from './embedding-models.ts';
import { loadPackagedModels, type ProviderWithModels } from './packaged-models.ts';
import type { PublicModels } from './public-models.ts';

type Loaded = { providers: readonly ModelProvider[]; models: ReadonlyMap<string, readonly ProviderModel[]> };

/**
 * Creates the catalogue: the packaged one, additional embedding models, and the public providers of this instance. It is loaded
 * on first use; reading it never sends a request to a provider.
 */
export function createModelCatalogue(instance?: Pick<PublicModels, 'current'>): ModelCatalogue {
  let loading: Promise<ProviderWithModels[]> | null = null;
  const packaged = (): Promise<ProviderWithModels[]> => {
    loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
  let composed: { from: readonly ProviderWithModels[]; loaded: Loaded } | null = null;
  const loaded = async (): Promise<Loaded> => {
    const all = await packaged();
    const from = instance?.current() ?? [];
    if (composed === null || composed.from !== from) composed = { from, loaded: compose(all, from) };
    return composed.loaded;
  };
  return {
    providers: async () => (await loaded()).providers,
    modelsOf: async (providerId) => (await loaded()).models.get(providerId) ?? null,
  };
}

async function load(): Promise<ProviderWithModels[]> {
  return (await loadPackagedModels()).map(withEmbeddings);
}

function compose(packaged: readonly ProviderWithModels[], instance: readonly ProviderWithModels[]): Loaded {
  const all = new Map(packaged.map((provider) => [provider.id, provider]));
  for (const provider of instance) all.set(provider.id, mergeWithPackaged(provider, all.get(provider.id)));
  const complete = [...all.values()].sort(byId);
  return {
    providers: complete.map(({ models, ...provider }) => ({
      ...provider,
      model_count: models.length,
      model_types: MODEL_TYPES.filter((type) => models.some((model) => model.type === type)),
    })),
    models: new Map(complete.map(({ id, models }) => [id, models])),
  };
}

/**
 * Merges a public provider with its entry in the packaged catalogue: its own list of models, with the catalogue's details; until
 * its list has been fetched, the catalogue's models.
 */
function mergeWithPackaged(provider: ProviderWithModels, packaged: ProviderWithModels | undefined): ProviderWithModels {
  const known = new Map(packaged?.models.map((model) => [model.id, model]));
  const listed = provider.models.map((model) => known.get(model.id) ?? model).sort(byId);
  return {
    ...provider,
    name: provider.name === provider.id ? (packaged?.name ?? provider.name) : provider.name,
    documentation_url: provider.documentation_url ?? packaged?.documentation_url ?? null,
    models: listed.length === 0 ? (packaged?.models ?? []) : listed,
  };
}

function withEmbeddings(provider: ProviderWithModels): ProviderWithModels {
  const known = new Set(provider.models.map(({ id }) => id));
  const added = EMBEDDING_MODELS.filter((model) => model.provider === provider.id && !known.has(model.id));
  return { ...provider, models: [...provider.models, ...added].sort(byId) };
}

/** Compares by code units, so that the order does not depend on the locale. */
function byId(one: { id: string }, other: { id: string }): number {
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0;
}
