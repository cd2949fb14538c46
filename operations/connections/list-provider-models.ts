import { AppError } from '#domain/app-error.ts';
import type { ModelProviderList, ModelType, ProviderModelList } from '#domain/records/provider-model.ts';
import type { Services } from '#operations/services.ts';

/** Every provider of the catalogue. */
export async function listModelProviders({ models }: Services): Promise<ModelProviderList> {
  const providers = await models.providers();
  return { data: [...providers], total_count: providers.length };
}

/** The models of a provider, all of them or those of one type. @throws AppError `not_found` for an unknown provider. */
export async function listProviderModels(
  { models }: Services,
  query: { providerId: string; modelType: ModelType | undefined },
): Promise<ProviderModelList> {
  const all = await models.modelsOf(query.providerId);
  if (!all) {
    throw new AppError('not_found', 'There is no such provider; GET /integrations/providers lists those there are.');
  }
  const data = all.filter((model) => query.modelType === undefined || model.type === query.modelType);
  return { data, total_count: data.length };
}
