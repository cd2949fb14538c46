import type { Embedder, EmbeddingObserver, EmbeddingSpace, NamedEmbedder } from '#domain/embedder.ts';
import { createLexicalEmbedder } from './lexical.ts';

/** The embedders of one process. */
export type EmbedderSet = {
  /** The configured embedder; the default of new collections. */
  readonly preferred: Embedder;
  /** All of them, the preferred one first. */
  readonly all: readonly NamedEmbedder[];
  /** Returns the embedder of a vector space, or null when it is not configured here. */
  forSpace(space: EmbeddingSpace): Embedder | null;
  /** Tells an observer from now on what the embedders of this process do, `lexical` beside others apart. */
  observe(observer: EmbeddingObserver): void;
  close(): Promise<void>;
};

/**
 * Creates a set of the default embedder, further ones, and `lexical`, which is always available.
 * @throws Error when two of them have vectors of the same space.
 */
export function createEmbedderSet(
  preferred: Embedder,
  further: readonly NamedEmbedder[] = [],
  observe: EmbedderSet['observe'] = () => undefined,
): EmbedderSet {
  const all = [{ name: 'default', embedder: preferred }, ...further];
  if (preferred.space.provider !== 'lexical') all.push({ name: 'lexical', embedder: createLexicalEmbedder() });
  const bySpace = new Map<string, NamedEmbedder>();
  for (const one of all) {
    const { provider, model, dimensions } = one.embedder.space;
    const same = bySpace.get(spaceKey(one.embedder.space));
    if (same) {
      const what = `${provider}/${model} with ${dimensions} dimensions, used in the same way`;
      throw new Error(
        `LOCI_EMBEDDERS.${one.name} and the embedder "${same.name}" are the same, ${what}: remove one of them.`,
      );
    }
    bySpace.set(spaceKey(one.embedder.space), one);
  }
  return {
    preferred,
    all,
    observe,
    forSpace: (space) => bySpace.get(spaceKey(space))?.embedder ?? null,
    async close() {
      await Promise.all(all.map(({ embedder }) => embedder.close()));
    },
  };
}

/** Vectors may be compared if everything is equal that affects them. */
function spaceKey({ provider, model, model_hash, dimensions }: EmbeddingSpace): string {
  return JSON.stringify([provider, model, model_hash, dimensions]);
}
