import type { ModelCatalogue } from '../../domain/model-catalogue.ts';
import { MODEL_TYPES, type ModelProvider, type ProviderModel } from '../../domain/records/provider-model.ts';
import { EMBEDDING_MODELS } from './embedding-models.ts';
import { loadPackagedModels, type ProviderWithModels } from './packaged-models.ts';

type Loaded = { providers: readonly ModelProvider[]; models: ReadonlyMap<string, readonly ProviderModel[]> };

/** The catalogue of this version: the packaged one, and what it lacks. Nothing is loaded before the first question. */
export function createModelCatalogue(): ModelCatalogue {
  let loading: Promise<Loaded> | null = null;
  const loaded = (): Promise<Loaded> => {
    loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
  return {
    providers: async () => (await loaded()).providers,
    modelsOf: async (providerId) => (await loaded()).models.get(providerId) ?? null,
  };
}

async function load(): Promise<Loaded> {
  const complete = (await loadPackagedModels()).map(withEmbeddings).sort(byId);
  return {
    providers: complete.map(({ models, ...provider }) => ({
      ...provider,
      model_count: models.length,
      model_types: MODEL_TYPES.filter((type) => models.some((model) => model.type === type)),
    })),
    models: new Map(complete.map(({ id, models }) => [id, models])),
  };
}

function withEmbeddings(provider: ProviderWithModels): ProviderWithModels {
  const known = new Set(provider.models.map(({ id }) => id));
  const added = EMBEDDING_MODELS.filter((model) => model.provider === provider.id && !known.has(model.id));
  return { ...provider, models: [...provider.models, ...added].sort(byId) };
}

/** By code units, so that the order is the same in every locale. */
function byId(one: { id: string }, other: { id: string }): number {
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0;
}
