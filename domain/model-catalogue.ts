import type { ModelProvider, ProviderModel } from '#domain/records/provider-model.ts';

/** What is known of models that providers offer. Answers are always in the same order. */
export interface ModelCatalogue {
  /** Every provider, by id. */
  providers(): Promise<readonly ModelProvider[]>;
  /** The models of a provider, by id; null for a provider that is not known. */
  modelsOf(providerId: string): Promise<readonly ProviderModel[] | null>;
}
