import type { OperationExample } from './operation-example.ts';

const answers = { ok: true, detail: null };

/** Examples of the operations on the process. */
export const processExamples = {
  livez: { response: { status: 'ok' } },
  readyz: {
    response: {
      status: 'ok',
      dependencies: { postgres: answers, weaviate: answers, temporal: answers },
      embedder: 'local/all-MiniLM-L6-v2',
      embedder_note: null,
    },
  },
  metrics: {
    response:
      '# HELP loci_requests_total Requests by route and status.\n# TYPE loci_requests_total counter\n' +
      'loci_requests_total{method="GET",route="/api/v1/collections",status="200"} 42\n',
  },
} satisfies Record<string, OperationExample>;
