import type { Chunk } from '#domain/records/chunk.ts';
import type { Content } from '#domain/records/content.ts';
import type { Deletion } from '#domain/records/deletion.ts';
import { CREATED, CREATED_S, exampleIds, UPDATED, UPDATED_S } from './example-ids.ts';
import { lastBoundedPageOf, type OperationExample } from './operation-example.ts';

export const EXAMPLE_HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

const content: Content = {
  id: exampleIds.content,
  name: 'handbook.pdf',
  description: null,
  metadata: { lang: 'en', external_id: 'handbook-7' },
  type: 'application/pdf',
  size: 482_113,
  status: 'ready',
  sync_status: 'synced',
  status_message: null,
  error_code: null,
  content_hash: EXAMPLE_HASH,
  file_data: { original_name: 'handbook.pdf', text_bytes: 38_402 },
  definition: null,
  created_at: CREATED_S,
  updated_at: UPDATED_S,
  external_id: 'handbook-7',
  collection_id: exampleIds.collection,
  workspace_id: exampleIds.workspace,
  config: { reader: 'native', chunker: 'structure', embedder: 'local/all-MiniLM-L6-v2' },
  linked_to: null,
  access_count: 3,
};

const position = { page: 2, heading_path: ['Operations', 'Tokens'], start: 5_120, end: 5_171, tokens: 16 };
const text = 'A rotated token survives an outage of the database.';

const chunk: Chunk = {
  id: exampleIds.chunk,
  content_id: exampleIds.content,
  collection_id: exampleIds.collection,
  content: text,
  metadata: position,
  chunk_index: 4,
  size: 51,
  created_at: UPDATED_S,
  embedding: null,
};

const deletion: Deletion = {
  id: exampleIds.deletion,
  workspace_id: exampleIds.workspace,
  kind: 'content',
  subject_id: exampleIds.content,
  user_id: null,
  status: 'completed',
  workflow_id: `delete-content/${exampleIds.deletion}`,
  removed: {
    contents: 1,
    chunks: 12,
    index_objects: 12,
    blobs: 1,
    collections: 0,
    conversations: 0,
    messages: 0,
    memories: 0,
  },
  verified_at: UPDATED,
  created_at: CREATED,
  completed_at: UPDATED,
};

/** Examples of the operations on contents, chunks and deletions. */
export const contentExamples = {
  listContents: { response: lastBoundedPageOf(content) },
  getContent: {
    response: {
      ...content,
      status: 'failed',
      sync_status: 'never',
      error_code: 'encrypted',
      status_message: 'The PDF needs a password: remove the password and upload the file again.',
      file_data: { original_name: 'handbook.pdf' },
      config: {},
      access_count: 0,
    },
  },
  updateContent: {
    body: { name: 'Handbook 2026', metadata: { lang: 'en', external_id: 'handbook-7', reviewed: true } },
    response: {
      ...content,
      name: 'Handbook 2026',
      metadata: { lang: 'en', external_id: 'handbook-7', reviewed: true },
      sync_status: 'stale',
    },
  },
  deleteContent: { response: { deletion_id: exampleIds.deletion, status: 'pending' } },
  listContentChunks: {
    response: {
      content_id: exampleIds.content,
      collection_id: exampleIds.collection,
      chunks: [
        {
          id: exampleIds.chunk,
          content_id: exampleIds.content,
          content: text,
          embedding: null,
          meta_data: position,
          collection_id: exampleIds.collection,
          workspace_id: exampleIds.workspace,
          name: 'handbook.pdf',
          filters: content.metadata,
          created_at: UPDATED_S,
        },
      ],
      total_chunks: 12,
      includes_embeddings: false,
      next_cursor: 'WyIwMTk4YzBkZSIsNF0',
      has_more: true,
    },
  },
  getContentFile: { response: '%PDF-1.7 …' },
  getContentText: { response: `# Operations\n\n## Tokens\n\n${text}\n` },
  listContentVersions: {
    response: {
      content_id: exampleIds.content,
      collection_id: exampleIds.collection,
      versions: [
        {
          version: 2,
          published_at: UPDATED_S,
          replaced_at: null,
          upload_id: exampleIds.upload,
          chunks: 12,
          text_sha256: content.content_hash,
        },
      ],
    },
  },
  pauseContent: { response: { ...content, status: 'paused', sync_status: 'never', config: {}, access_count: 0 } },
  resumeContent: { response: { ...content, status: 'pending', sync_status: 'never', config: {}, access_count: 0 } },
  cancelContent: { response: { ...content, status: 'cancelled', sync_status: 'never', config: {}, access_count: 0 } },
  retryContent: { response: { ...content, status: 'pending', sync_status: 'never', config: {}, access_count: 0 } },
  createChunks: {
    body: { content_id: exampleIds.content, collection_id: exampleIds.collection, reader: 'pdf' },
    response: { content_id: exampleIds.content, collection_id: exampleIds.collection, status: 'pending' },
  },
  listChunks: { response: { chunks: [chunk], total_count: 1, next_cursor: null, has_more: false } },
  getChunk: { response: chunk },
  listDeletions: { response: { data: [deletion], next_cursor: null, has_more: false } },
  getDeletion: { response: deletion },
} satisfies Record<string, OperationExample>;
