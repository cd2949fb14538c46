import { hash } from 'node:crypto';
import type { EmbeddingSpace } from '#domain/embedder.ts';

/** The stored properties of one chunk (or memory). */
export type StoredProperties = {
  content_id: string;
  version: number;
  text: string;
  text_stemmed: string;
  facets: string[];
};

/** What a keyword or hybrid search looks in, with its weights. Measured on Cranfield: weights of 1 to 3 for the shadow differ little. */
export const KEYWORD_PROPERTIES = [
  { name: 'text', weight: 1 },
  { name: 'text_stemmed', weight: 2 },
] as const;

/**
 * Searches that leave at most so many objects compare the query with each of them. The graph that serves larger ones loses
 * sight of groups of objects that are nearly alike, as boilerplate is: 81 of 120 such were found.
 */
const EXACT_UP_TO_OBJECTS = 20_000;

/**
 * Name of the class that holds a space's vectors. Readable first, and told apart by a hash of everything in the space: another
 * model file is another class.
 */
export function className(space: EmbeddingSpace): string {
  const identity = JSON.stringify([space.provider, space.model, space.model_hash, space.dimensions]);
  const readable = `${space.provider}_${space.model}`.replace(/[^A-Za-z0-9]+/g, '_').slice(0, 64);
  return `Loci_${readable}_${space.dimensions}_${hash('sha256', identity).slice(0, 16)}`;
}

/**
 * The class definition, in Weaviate's REST form. Each property has just the index it is used through: ids, versions and facets
 * to filter, texts to search. Stop words are left to `keywordQuery`, so that nothing is missing from the index.
 */
export function classDefinition(space: EmbeddingSpace): object {
  return {
    class: className(space),
    description: `Chunks embedded with ${space.provider}/${space.model}, ${space.dimensions} dimensions. Rebuildable from Postgres.`,
    vectorizer: 'none',
    vectorIndexType: 'hnsw',
    vectorIndexConfig: { distance: 'cosine', flatSearchCutoff: EXACT_UP_TO_OBJECTS },
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
