import { AppError } from '#domain/app-error.ts';
import type { Embedder, EmbeddingObserver } from '#domain/embedder.ts';

/** Tells an observer, which may come later than the embedders, what they do. */
export class ObservedEmbedders implements EmbeddingObserver {
  #observer: EmbeddingObserver | null = null;

  /** From now on, this one is told. */
  observe(observer: EmbeddingObserver): void {
    this.#observer = observer;
  }

  observeEmbedding: EmbeddingObserver['observeEmbedding'] = (call, done) =>
    this.#observer?.observeEmbedding(call, done);
  setLoadedModels: EmbeddingObserver['setLoadedModels'] = (count) => this.#observer?.setLoadedModels(count);

  /** Returns an embedder whose calls are told under this name. */
  named(name: string, embedder: Embedder): Embedder {
    return {
      ...embedder,
      embed: async (texts, purpose, options = {}) => {
        if (texts.length === 0) return [];
        const startedAt = performance.now();
        const end = (outcome: string) =>
          this.observeEmbedding(
            { embedder: name, purpose, outcome },
            { texts: texts.length, durationMs: performance.now() - startedAt },
          );
        try {
          const vectors = await embedder.embed(texts, purpose, options);
          end('ok');
          return vectors;
        } catch (error) {
          end(options.signal?.aborted ? 'left' : error instanceof AppError ? error.code : 'internal');
          throw error;
        }
      },
    };
  }
}
