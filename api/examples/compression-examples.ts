import type { Compression, CompressionJob } from '#domain/records/compression.ts';
import { CREATED, exampleIds, UPDATED } from './example-ids.ts';
import type { OperationExample } from './operation-example.ts';

const compression: Compression = {
  job_id: null,
  status: 'completed',
  strategy: 'extractive',
  strategy_used: 'extractive',
  content: 'The ferry leaves at noon. When does the ferry leave?',
  original_tokens: 19,
  compressed_tokens: 13,
  ratio: 0.6842,
  metadata: {
    tokenizer: 'all-MiniLM-L6-v2',
    target_tokens: 13,
    query: 'When does the ferry leave?',
    query_source: 'last_sentence',
    original_characters: 73,
    compressed_characters: 52,
    windows: { ai_compress: 0, extractive: 1, dedupe: 0 },
    dropped: { tokens: 6, sentences: 1, spans: [[26, 47]] },
    folds: 0,
    is_lossless: false,
    note: null,
  },
};

const job: CompressionJob = {
  ...compression,
  job_id: exampleIds.job,
  progress: { windows_done: 1, windows_total: 1 },
  error: null,
  workflow_id: `compress/${exampleIds.job}`,
  created_at: CREATED,
  completed_at: UPDATED,
  expires_at: '2026-03-09T09:15:04.000Z',
};

const { content: _content, metadata: _metadata, ...summary } = job;

/** Examples of the operations on compressions. */
export const compressionExamples = {
  compressContext: {
    body: {
      content: 'The ferry leaves at noon. The weather is fine. When does the ferry leave?',
      strategy: 'extractive',
      target_ratio: 0.7,
      include_metadata: true,
    },
    response: compression,
  },
  listCompressions: { response: { data: [summary], next_cursor: null, has_more: false } },
  getCompression: { response: job },
  cancelCompression: {
    response: {
      ...job,
      status: 'cancelled',
      strategy_used: null,
      content: null,
      compressed_tokens: null,
      ratio: null,
      metadata: null,
      progress: { windows_done: 0, windows_total: 1 },
      error: { code: 'cancelled', message: 'The job was cancelled by request.' },
    },
  },
} satisfies Record<string, OperationExample>;
