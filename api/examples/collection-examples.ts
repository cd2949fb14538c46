import type { Collection } from '#domain/records/collection.ts';
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
  searchCollection: {
    body: {
      query,
      collection_id: exampleIds.collection,
      search_type: 'hybrid',
      filters: { lang: 'en', 'chunk.page': { $gte: 2 } },
      max_results: 5,
      explain: true,
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
          content_id: exampleIds.content,
          source: 'handbook.pdf',
          explain: { keyword: { rank: 2, score: 3.41 }, vector: { rank: 1, score: 0.62 } },
        },
      ],
      total_results: 1,
      query,
      search_type: 'hybrid',
      collection_id: exampleIds.collection,
      execution_time_ms: 14.72,
    },
  },
} satisfies Record<string, OperationExample>;
