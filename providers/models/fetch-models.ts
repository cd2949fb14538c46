import { z } from 'zod';
import type { ModelType, ProviderModel } from '#domain/records/provider-model.ts';
import type { PublicProvider } from './public-provider-settings.ts';

export type FetchLimits = { timeoutMs: number; maxBytes: number; maxModels: number };

const MAX_ID_CHARACTERS = 200;
/** Control characters, such as line breaks, are not allowed in names. */
const CONTROL_CHARACTER = /\p{Cc}/u;

const Count = z.int().positive().nullish().catch(null);
/** Fields besides `id` depend on the server: OpenAI sends none, vLLM `max_model_len`, OpenRouter `context_length`. */
const Listed = z.object({
  id: z.string().min(1).max(MAX_ID_CHARACTERS),
  name: z.string().min(1).max(MAX_ID_CHARACTERS).nullish().catch(null),
  max_model_len: Count,
  context_length: Count,
  context_window: Count,
});
const List = z.object({ data: z.array(z.unknown()) });

/**
 * Fetches the list of a server's models. The operator configures the address, so it may be in a private network. Redirects are
 * not followed, because they would send the key elsewhere. Invalid entries are left out.
 * @throws Error when the server cannot be reached in time, returns no list, or exceeds the limits.
 */
export async function fetchModels(
  provider: PublicProvider,
  limits: FetchLimits,
  signal: AbortSignal,
): Promise<ProviderModel[]> {
  const response = await fetch(`${provider.base_url.replace(/\/+$/, '')}/models`, {
    headers: {
      Accept: 'application/json',
      ...(provider.api_key === undefined ? {} : { Authorization: `Bearer ${provider.api_key}` }),
    },
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(limits.timeoutMs)]),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`The server answered the request for its models with HTTP ${response.status}.`);
  }
  const { data } = List.parse(JSON.parse(await readText(response, limits.maxBytes)));
  if (data.length > limits.maxModels) throw new Error(`The list has more than ${limits.maxModels} models.`);
  const models = data.flatMap((entry) => {
    const { data: listed } = Listed.safeParse(entry);
    return listed === undefined || CONTROL_CHARACTER.test(listed.id) ? [] : [toProviderModel(provider.id, listed)];
  });
  return [...new Map(models.map((model) => [model.id, model])).values()];
}

/** Reads the body up to a limit of decompressed bytes, which `Content-Length` does not state. */
async function readText(response: Response, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > maxBytes) throw new Error(`The list has more than ${maxBytes} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function toProviderModel(provider: string, listed: z.infer<typeof Listed>): ProviderModel {
  const { id, name } = listed;
  const type = typeOf(id);
  return {
    id,
    name: name ?? id,
    provider,
    type,
    context_window: listed.max_model_len ?? listed.context_length ?? listed.context_window ?? null,
    max_output_tokens: null,
    modalities: { input: ['text'], output: [type === 'embedding' ? 'embedding' : 'text'] },
    capabilities: [],
    pricing: null,
    release_date: null,
    status: 'active',
  };
}

/** Derives the type from the name, because the list does not contain it. */
function typeOf(id: string): ModelType {
  if (/embed|(^|[/_-])(bge|e5|gte|minilm)([-_]|$)/i.test(id)) return 'embedding';
  if (/whisper|transcri/i.test(id)) return 'transcription';
  if (/(^|[/_-])tts([-_]|$)/i.test(id)) return 'speech';
  if (/moderation|guard/i.test(id)) return 'moderation';
  if (/dall-e|stable-diffusion|flux/i.test(id)) return 'image';
  return 'chat';
}
