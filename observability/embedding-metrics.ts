import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { EmbeddingObserver } from '#domain/embedder.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Creates the metrics of embedders. Their names are in the settings, so there are few. */
export function embeddingMetrics(registry: Registry): EmbeddingObserver {
  const registers = [registry];
  const labelNames = ['embedder', 'purpose', 'outcome'] as const;
  const seconds = new Histogram({
    name: 'loci_embedding_duration_seconds',
    help: 'Duration of a call of an embedder, including the wait for its turn.',
    labelNames,
    buckets: SECONDS,
    registers,
  });
  const texts = new Counter({
    name: 'loci_embedded_texts_total',
    help: 'Texts of calls of an embedder, by outcome: ok, left when nobody waited any more, or the error code.',
    labelNames,
    registers,
  });
  const loaded = new Gauge({
    name: 'loci_embedding_models_loaded',
    help: 'Local models in memory besides the default one.',
    registers,
  });
  return {
    observeEmbedding(call, done) {
      seconds.observe(call, done.durationMs / 1000);
      texts.inc(call, done.texts);
    },
    setLoadedModels: (count) => loaded.set(count),
  };
}
