import { z } from 'zod';
import { MODEL_TYPES, ProviderModelList } from '#domain/records/provider-model.ts';
import { listProviderModels } from '#operations/connections/list-provider-models.ts';
import { openRoute } from '#api/http/route.ts';

export const listProviderModelsRoute = openRoute(
  {
    method: 'get',
    path: '/integrations/providers/{provider_id}/models',
    tag: 'Integrations',
    summary: 'Get provider models',
    description:
      'Lists all models of a provider of the bundled catalogue or of this instance, ordered by id. Requires no credentials and sends no request to the provider: prices are list prices from the time the catalogue was built, and models of this instance are updated in the background.',
    permission: null,
    params: z.object({
      provider_id: z
        .string()
        .min(1)
        .max(100)
        .meta({
          description: 'Id of the provider, such as `openai`, as in `GET /integrations/providers`.',
          examples: ['openai'],
        }),
    }),
    query: z.object({
      model_type: z.enum(MODEL_TYPES).optional().meta({ description: 'Only models of this type' }),
    }),
    response: ProviderModelList,
  },
  async ({ services, params, query }) =>
    listProviderModels(services, { providerId: params.provider_id, modelType: query.model_type }),
);
