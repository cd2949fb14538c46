import { z } from 'zod';

/** Tasks that a model is made for. */
export const MODEL_TYPES = ['chat', 'embedding', 'image', 'speech', 'transcription', 'vision', 'moderation'] as const;
export type ModelType = (typeof MODEL_TYPES)[number];

const MODEL_CAPABILITIES = ['tool_calls', 'reasoning', 'attachments', 'temperature', 'open_weights'] as const;

/** A model of a provider: specifications, pricing, capabilities. */
export const ProviderModel = z
  .object({
    id: z.string().meta({ description: 'Id of the model in the API of the provider.' }),
    name: z.string().meta({ description: 'Name of the model for people.' }),
    provider: z.string().meta({ description: 'Id of the provider.' }),
    type: z.enum(MODEL_TYPES).meta({ description: 'Task that the model is made for.' }),
    context_window: z
      .int()
      .nullable()
      .meta({ description: 'Maximum number of input and output tokens together; null when unknown.' }),
    max_output_tokens: z.int().nullable().meta({
      description: 'Maximum number of output tokens; null when unknown, and for models that do not produce text.',
    }),
    modalities: z
      .object({
        input: z.array(z.string()).meta({ description: 'Kinds of data that the model takes.' }),
        output: z.array(z.string()).meta({ description: 'Kinds of data that the model produces.' }),
      })
      .meta({ description: 'Kinds of data that the model takes and produces, such as `text` and `image`.' }),
    capabilities: z.array(z.enum(MODEL_CAPABILITIES)).meta({ description: 'What the model can do beyond its task.' }),
    pricing: z
      .object({
        input: z.number().meta({ description: 'Price of one million input tokens.' }),
        output: z.number().meta({ description: 'Price of one million output tokens.' }),
        currency: z.literal('USD').meta({ description: 'Currency of the prices.' }),
      })
      .nullable()
      .meta({ description: 'List prices at the time the catalogue was made; null when unknown.' }),
    release_date: z
      .string()
      .nullable()
      .meta({ description: 'Release date, as precise as known: `2025`, `2025-04` or `2025-04-16`.' }),
    status: z
      .enum(['active', 'preview'])
      .meta({ description: '`preview`: the provider may still change or withdraw the model.' }),
  })
  .meta({ id: 'ProviderModel' });
export type ProviderModel = z.infer<typeof ProviderModel>;

export const ProviderModelList = z
  .object({
    data: z.array(ProviderModel).meta({ description: 'Models, ordered by id.' }),
    total_count: z.int().meta({ description: 'Number of models.' }),
  })
  .meta({ id: 'ProviderModelList' });
export type ProviderModelList = z.infer<typeof ProviderModelList>;

/** A provider in the catalogue of models. */
export const ModelProvider = z
  .object({
    id: z.string().meta({ description: 'Id of the provider, for `GET /integrations/providers/{provider_id}/models`.' }),
    name: z.string().meta({ description: 'Name of the provider for people.' }),
    documentation_url: z
      .string()
      .nullable()
      .meta({ description: 'Page of the provider about its models; null when unknown.' }),
    model_count: z.int().meta({ description: 'Number of models.' }),
    model_types: z.array(z.enum(MODEL_TYPES)).meta({ description: 'Types of models that the provider offers.' }),
  })
  .meta({ id: 'ModelProvider' });
export type ModelProvider = z.infer<typeof ModelProvider>;

export const ModelProviderList = z
  .object({
    data: z.array(ModelProvider).meta({ description: 'Providers, ordered by id.' }),
    total_count: z.int().meta({ description: 'Number of providers.' }),
  })
  .meta({ id: 'ModelProviderList' });
export type ModelProviderList = z.infer<typeof ModelProviderList>;
