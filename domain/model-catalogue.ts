import type { ModelProvider, ProviderModel } from '#domain/records/provider-model.ts';

/** The models that providers offer. Results are always in the same order. */
export interface ModelCatalogue {
  /** Returns every provider, ordered by id. */
  providers(): Promise<readonly ModelProvider[]>;
  /** Returns the models of a provider, ordered by id; null for an unknown provider. */
  modelsOf(providerId: string): Promise<readonly ProviderModel[] | null>;
}
