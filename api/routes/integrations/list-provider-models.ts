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
      'All models of a provider of the packaged catalogue or of this instance, in the order of their ids. Needs no credentials, and asks nobody: prices are list prices at the time the catalogue was made, and lists of this instance are kept fresh in the background.',
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
