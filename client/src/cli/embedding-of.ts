import type { components } from '../schema.ts';

type Choice = NonNullable<components['schemas']['CreateCollectionRequest']['embedding']>;

/** Returns how a request names an embedder: by its name, or by its kind where that is given instead. */
export function embeddingOf(name: string): Choice {
  return name === 'local' || name === 'openai' ? { provider: name } : { name };
}
