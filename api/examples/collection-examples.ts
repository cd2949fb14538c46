import type { Collection } from '#domain/records/collection.ts';
import type { Reembedding } from '#domain/records/reindexing.ts';
import { CREATED, EXAMPLE_KEY, exampleIds, UPDATED } from './example-ids.ts';
import { lastPageOf, type OperationExample } from './operation-example.ts';

const collection: Collection = {
  id: exampleIds.collection,
  name: 'Handbooks',
  workspace_id: exampleIds.workspace,
  created_at: CREATED,
  updated_at: UPDATED,
  description: 'Product handbooks',
  store_type: 'weaviate',
  visibility: 'private',
  status: 'active',
  tags: ['public'],
  parent_id: null,
  stats: { contents: 1, contents_by_status: { ready: 1 }, chunks: 12, bytes: 482_113 },
  meta_data: { department: 'support' },
  settings: {},
  embedding: {
    provider: 'local',
    model: 'all-MiniLM-L6-v2',
    model_hash: '6fd5d72fe4589f189f8ebc006442dbb529bb7ce38f8082112682524616046452',
    dimensions: 384,
  },
  source_type: 'document',
  source_id: null,
  created_by: EXAMPLE_KEY,
};

const reembedding: Reembedding = {
  id: exampleIds.reembedding,
  workspace_id: exampleIds.workspace,
  collection_id: exampleIds.collection,
  status: 'pending',
  status_message: null,
  from: { provider: 'lexical', model: 'lexical', model_hash: 'v1', dimensions: 512 },
  to: collection.embedding,
  total_contents: 0,
  contents: 0,
  chunks: 0,
  created_at: CREATED,
  updated_at: CREATED,
  switched_at: null,
  completed_at: null,
};
const building = { ...reembedding, status: 'building', total_contents: 1, updated_at: UPDATED } as const;

const query = 'how is a rotated token kept';

/** Examples of the operations on collections. */
export const collectionExamples = {
  createCollection: {
    body: {
      name: 'Handbooks',
      description: 'Product handbooks',
      tags: ['public'],
      meta_data: { department: 'support' },
    },
    response: { ...collection, stats: { contents: 0, contents_by_status: {}, chunks: 0, bytes: 0 } },
  },
  listCollections: { response: lastPageOf(collection) },
  getCollection: { response: collection },
  updateCollection: {
    body: { description: 'Product handbooks, current ones', tags: ['public', 'current'] },
    response: { ...collection, description: 'Product handbooks, current ones', tags: ['public', 'current'] },
  },
  deleteCollection: { response: { deletion_id: exampleIds.deletion, status: 'pending' } },
  setCollectionStats: {
    body: { reviewed_by: 'editorial team', quality: 0.93 },
    response: { ...collection, stats: { ...collection.stats, reviewed_by: 'editorial team', quality: 0.93 } },
  },
  archiveCollection: { response: { ...collection, status: 'archived' } },
  unarchiveCollection: { response: collection },
  reembedCollection: { body: { embedding: { provider: 'local' } }, response: reembedding },
  getReembedding: {
    response: {
      ...building,
      status: 'completed',
      contents: 1,
      chunks: 12,
      switched_at: UPDATED,
      completed_at: UPDATED,
    },
  },
  pauseReembedding: { response: { ...building, status: 'paused' } },
  resumeReembedding: { response: building },
  cancelReembedding: { response: { ...building, status: 'cancelling' } },
  searchCollection: {
    body: {
      query,
      collection_id: exampleIds.collection,
      search_type: 'hybrid',
      filters: { lang: 'en', 'chunk.page': { $gte: 2 } },
      max_results: 5,
      explain: true,
      rerank: { depth: 50 },
      offset: 0,
      min_score: 0.5,
      group_by: 'content',
      max_per_content: 1,
      recency: { half_life_days: 365, weight: 0.3, field: 'created_at' },
      facets: ['lang'],
      highlight: { max_characters: 200 },
      expand: { before: 0, after: 1 },
      include_embedding: false,
    },
    response: {
      results: [
        {
          content: 'A rotated token survives an outage of the database.',
          score: 0.87,
          metadata: {
            lang: 'en',
            chunk: {
              id: exampleIds.chunk,
              index: 4,
              page: 2,
              heading_path: ['Operations', 'Tokens'],
              start: 5_120,
              end: 5_171,
              tokens: 16,
            },
          },
          chunk: {
            id: exampleIds.chunk,
            index: 4,
            page: 2,
            heading_path: ['Operations', 'Tokens'],
            start: 5_120,
            end: 5_171,
            tokens: 16,
          },
          content_id: exampleIds.content,
          collection_id: exampleIds.collection,
          source: 'handbook.pdf',
          explain: {
            keyword: { rank: 2, score: 3.41 },
            vector: { rank: 1, score: 0.62 },
            rerank: { rank: 1, score: 0.87 },
          },
          relevance: 0.91,
          highlight: {
            text: 'A rotated token survives an outage of the database.',
            start: 0,
            end: 51,
            matches: [{ start: 10, end: 15, query_word: 'tokens' }],
          },
          before: [],
          after: [],
        },
      ],
      reranked: true,
      next_offset: null,
      facets: {
        lang: { values: [{ value: 'en', count: 12 }], distinct_count: 1, missing_count: 3, is_exact: true },
      },
      total_results: 1,
      query,
      search_type: 'hybrid',
      collection_id: exampleIds.collection,
      execution_time_ms: 14.72,
    },
  },
  explainSearch: {
    body: {
      query,
      content_id: exampleIds.content,
      collection_id: exampleIds.collection,
      search_type: 'keyword',
      filters: { lang: 'de' },
      max_results: 10,
      min_score: 0.5,
      rerank: true,
    },
    response: {
      reason: 'filtered_out',
      message: 'The filters exclude it: metadata.lang is "de". filters has the values that were seen.',
      query,
      search_type: 'keyword',
      collection_id: exampleIds.collection,
      content: {
        id: exampleIds.content,
        name: 'handbook.pdf',
        status: 'ready',
        status_message: null,
        error_code: null,
      },
      chunk_id: exampleIds.chunk,
      filters: [
        { condition: 'metadata.lang is "de"', holds: false, seen: [{ field: 'metadata.lang', values: ['en'] }] },
      ],
      terms: [],
      keyword: null,
      vector: null,
      rank: null,
      score: null,
      rerank: null,
      relevance: null,
      lost_to: [],
    },
  },
} satisfies Record<string, OperationExample>;
