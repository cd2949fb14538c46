import { AppError } from '#domain/app-error.ts';
import type { ModelProviderList, ModelType, ProviderModelList } from '#domain/records/provider-model.ts';
import type { Services } from '#operations/services.ts';

/** Returns every provider of the model catalogue. */
export async function listModelProviders({ models }: Services): Promise<ModelProviderList> {
  const providers = await models.providers();
  return { data: [...providers], total_count: providers.length };
}

/** Returns the models of a provider, optionally of one type. @throws AppError `not_found` for an unknown provider. */
export async function listProviderModels(
  { models }: Services,
  query: { providerId: string; modelType: ModelType | undefined },
): Promise<ProviderModelList> {
  const all = await models.modelsOf(query.providerId);
  if (!all) {
    throw new AppError('not_found', 'There is no such provider. GET /integrations/providers lists the available ones.');
  }
  const data = all.filter((model) => query.modelType === undefined || model.type === query.modelType);
  return { data, total_count: data.length };
}
