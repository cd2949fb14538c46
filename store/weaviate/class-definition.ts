import { hash } from 'node:crypto';
import { assertNever } from '#domain/app-error.ts';
import type { EmbeddingSpace } from '#domain/embedder.ts';

/** The stored properties of one chunk or memory. */
export type StoredProperties = {
  content_id: string;
  version: number;
  text: string;
  text_stemmed: string;
  facets: string[];
};

/**
 * Properties of keyword and hybrid searches, with their weights. On Cranfield, weights of 1 to 3 for `text_stemmed` differ
 * little.
 */
export const KEYWORD_PROPERTIES = [
  { name: 'text', weight: 1 },
  { name: 'text_stemmed', weight: 2 },
] as const;

/**
 * Filtered searches with at most this many objects compare the query with each object (`flatSearchCutoff`). The HNSW graph, which
 * serves larger ones, misses objects in groups of near duplicates such as boilerplate: it found 81 of 120.
 */
const EXACT_UP_TO_OBJECTS = 20_000;

/**
 * Returns the name of the class that holds the vectors of an embedding space: a readable part, and a hash of all fields of the
 * space, so that another model file has another class.
 */
export function className(space: EmbeddingSpace): string {
  const identity = JSON.stringify([space.provider, space.model, space.model_hash, space.dimensions]);
  const readable = `${space.provider}_${space.model}`.replace(/[^A-Za-z0-9]+/g, '_').slice(0, 64);
  return `Loci_${readable}_${space.dimensions}_${hash('sha256', identity).slice(0, 16)}`;
}

/** How new classes are stored. Existing classes keep what they were created with. */
export type ClassSettings = {
  /** Copies of each tenant, on different nodes. Null: one on each node, at most three. */
  replicationFactor: number | null;
  /** `rq8` keeps vectors in memory as 8-bit numbers. Null: the default of the server. */
  quantization: 'none' | 'rq8' | null;
};

/**
 * Results are ranked again with the full vectors of this many candidates. A search returns at most 300, and with fewer
 * candidates than results the order of the last ones would be that of the short vectors.
 */
const RESCORED_CANDIDATES = 400;

/**
 * Returns the class definition for Weaviate's REST API. Each property has only the index it needs: a filterable one for ids,
 * versions and facets, a searchable one for texts. `keywordQuery` removes stop words from queries; the index contains all words.
 * A tenant is one shard: Weaviate accepts no number of shards in classes with tenants. After an outage of a node, the later one
 * of a write and a deletion counts.
 */
export function classDefinition(
  space: EmbeddingSpace,
  { replicationFactor, quantization }: ClassSettings & { replicationFactor: number },
): object {
  return {
    class: className(space),
    description:
      `Chunks embedded with ${space.provider}/${space.model}, ${space.dimensions} dimensions. ` +
      'Rebuildable from Postgres.',
    vectorizer: 'none',
    vectorIndexType: 'hnsw',
    vectorIndexConfig: {
      distance: 'cosine',
      flatSearchCutoff: EXACT_UP_TO_OBJECTS,
      ...quantizationConfig(quantization),
    },
    replicationConfig: { factor: replicationFactor, deletionStrategy: 'TimeBasedResolution' },
    multiTenancyConfig: { enabled: true, autoTenantCreation: false, autoTenantActivation: true },
    invertedIndexConfig: { bm25: { k1: 1.2, b: 0.75 }, stopwords: { preset: 'none' } },
    properties: [
      { name: 'content_id', dataType: ['text'], tokenization: 'field', indexFilterable: true, indexSearchable: false },
      { name: 'version', dataType: ['int'], indexFilterable: true },
      { name: 'text', dataType: ['text'], tokenization: 'word', indexFilterable: false, indexSearchable: true },
      { name: 'text_stemmed', dataType: ['text'], tokenization: 'word', indexFilterable: false, indexSearchable: true },
      { name: 'facets', dataType: ['text[]'], tokenization: 'field', indexFilterable: true, indexSearchable: false },
    ],
  };
}

function quantizationConfig(quantization: ClassSettings['quantization']): object {
  switch (quantization) {
    case null:
      return {};
    case 'none':
      return { skipDefaultQuantization: true };
    case 'rq8':
      return { rq: { enabled: true, bits: 8, rescoreLimit: RESCORED_CANDIDATES } };
    default:
      return assertNever(quantization);
  }
}
