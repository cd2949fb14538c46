import type { OperationExample } from './operation-example.ts';

const answers = { ok: true, detail: null };

/** Examples of the operations on the process. */
export const processExamples = {
  livez: { response: { status: 'ok' } },
  readyz: {
    response: {
      status: 'ok',
      dependencies: { postgres: answers, weaviate: answers, temporal: answers, blobs: answers },
      embedder: 'local/all-MiniLM-L6-v2',
      embedders: [
        { name: 'default', provider: 'local', model: 'all-MiniLM-L6-v2', dimensions: 384 },
        { name: 'bge', provider: 'openai', model: 'bge-m3', dimensions: 1024 },
        { name: 'lexical', provider: 'lexical', model: 'hashed-words', dimensions: 1024 },
      ],
      embedder_note: null,
      reranker: 'server/bge-reranker-v2-m3',
    },
  },
  getServiceFacts: {
    response: {
      versions: { loci: '0.1.0', node: '24.4.1', postgres: '17.6', temporal: '1.29.1', weaviate: '1.33.4' },
      temporal_ui: { url: 'http://127.0.0.1:8780', namespace: 'default' },
      queues: [
        { name: 'express', waiting: 0, oldest_age_seconds: 0, workers: 2 },
        { name: 'ingest', waiting: 14, oldest_age_seconds: 3.2, workers: 2 },
      ],
      settings: [
        { name: 'LOCI_DATABASE_URL', is_set: true, is_hidden: true, value: null },
        { name: 'LOCI_CHAT_BASE_URL', is_set: true, is_hidden: false, value: 'https://models.example.com' },
        { name: 'LOCI_MAX_FILE_BYTES', is_set: false, is_hidden: false, value: '209715200' },
      ],
    },
  },
  metrics: {
    response:
      '# HELP loci_http_request_duration_seconds Time from the first byte of a request to the end of its response.\n' +
      '# TYPE loci_http_request_duration_seconds histogram\n' +
      'loci_http_request_duration_seconds_bucket{le="0.005",method="GET",route="/api/v1/collections",status="200"} 40\n' +
      'loci_http_request_duration_seconds_bucket{le="+Inf",method="GET",route="/api/v1/collections",status="200"} 42\n' +
      'loci_http_request_duration_seconds_sum{method="GET",route="/api/v1/collections",status="200"} 0.21\n' +
      'loci_http_request_duration_seconds_count{method="GET",route="/api/v1/collections",status="200"} 42\n',
  },
} satisfies Record<string, OperationExample>;
