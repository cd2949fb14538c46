import { randomUUID } from 'node:crypto';
import type { EmbeddingSpace } from '#domain/embedder.ts';
import { SERVER_DEFAULTS } from '#test/support/harness/stack.ts';
import { createVectorIndex, type IndexObject, type VectorIndex } from '#store/weaviate/vector-index.ts';

/** The running Weaviate of the test stack. */
export function weaviateOptions(): Parameters<typeof createVectorIndex>[0] {
  return {
    url: required('LOCI_WEAVIATE_URL'),
    grpc: required('LOCI_WEAVIATE_GRPC'),
    apiKey: required('LOCI_WEAVIATE_API_KEY'),
    timeoutMs: 20_000,
    classes: SERVER_DEFAULTS,
  };
}

/** One space for all tests; every test has its own tenant in it. */
export const SPACE: EmbeddingSpace = { provider: 'lexical', model: 'test', model_hash: 'v1', dimensions: 3 };

/** An index with a new tenant. */
export async function freshTenant(): Promise<{ index: VectorIndex; tenant: string }> {
  const index = createVectorIndex(weaviateOptions());
  const tenant = `test-${randomUUID()}`;
  await index.ensureTenant(SPACE, tenant);
  return { index, tenant };
}

/** An object with default values and a unit vector along the first axis. */
export function indexObject(fields: Partial<IndexObject> = {}): IndexObject {
  return {
    id: randomUUID(),
    content_id: 'content-1',
    version: 1,
    text: 'some text',
    facets: ['m.lang=s:en'],
    vector: Float32Array.of(1, 0, 0),
    ...fields,
  };
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run the tests with npm test, or name a running Weaviate`);
  return value;
}
