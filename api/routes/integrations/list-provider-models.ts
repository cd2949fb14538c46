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
    params: z.object({ provider_id: z.string().min(1).max(100) }),
    query: z.object({
      model_type: z.enum(MODEL_TYPES).optional().meta({ description: 'Only models of this type' }),
    }),
    response: ProviderModelList,
    examples: {
      response: {
        data: [
          {
            id: 'text-embedding-3-small',
            name: 'Text Embedding 3 Small',
            provider: 'openai',
            type: 'embedding',
            context_window: 8192,
            max_output_tokens: null,
            modalities: { input: ['text'], output: ['embedding'] },
            capabilities: [],
            pricing: { input: 0.02, output: 0, currency: 'USD' },
            release_date: '2024-01-25',
            status: 'active',
          },
        ],
        total_count: 1,
      },
    },
  },
  async ({ services, params, query }) =>
    listProviderModels(services, { providerId: params.provider_id, modelType: query.model_type }),
);
