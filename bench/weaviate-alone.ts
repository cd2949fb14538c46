import { randomUUID } from 'node:crypto';
import { ApiKey, connectToCustom } from 'weaviate-client';
import type { Config } from '#config/index.ts';
import type { SearchType } from '#domain/records/search.ts';
import { createEmbedders } from '#providers/embedders/index.ts';
import { createVectorIndex, type IndexObject } from '#store/weaviate/vector-index.ts';
import { className } from '#store/weaviate/class-definition.ts';
import { type BeirDocument, documentText } from './beir-dataset.ts';

const BATCH_SIZE = 500;

/**
 * Stores whole documents in a separate tenant, with one vector each, truncated at the token limit of the model: the result of
 * using Weaviate without the service.
 */
export async function openWeaviateAlone(config: Config, documents: readonly BeirDocument[]) {
  const embedders = await createEmbedders({ ...config.embedder, named: [], cacheDir: config.cacheDir });
  const vectors = createVectorIndex({ ...config.weaviate, timeoutMs: 60_000 });
  const { preferred: embedder } = embedders;
  const tenant = `alone-${randomUUID()}`;
  const idOf = new Map(documents.map(({ id }) => [randomUUID() as string, id]));
  const objectIds = [...idOf.keys()];
  await vectors.ensureTenant(embedder.space, tenant);
  for (let start = 0; start < documents.length; start += BATCH_SIZE) {
    const texts = documents.slice(start, start + BATCH_SIZE).map(documentText);
    const documentVectors = await embedder.embed(texts, 'document');
    const objects = texts.map((text, place): IndexObject => {
      const id = objectIds[start + place] ?? '';
      return { id, content_id: id, version: 1, text, facets: [], vector: documentVectors[place] ?? new Float32Array() };
    });
    await vectors.writeObjects(embedder.space, tenant, objects);
  }
  const client = await openWeaviateClient(config);
  const embedded = new Map<string, Float32Array>();
  const embedQuery = async (text: string) => {
    const vector = embedded.get(text) ?? (await embedder.embed([text], 'query'))[0] ?? new Float32Array();
    embedded.set(text, vector);
    return vector;
  };
  return {
    /** Ranks with the service's class and query, by the scores of Weaviate or, with `regularize`, by those of the service. */
    async rank(
      queryText: string,
      type: SearchType,
      { limit, regularize = false }: { limit: number; regularize?: boolean },
    ): Promise<string[]> {
      const queryVector = type === 'keyword' ? null : await embedQuery(queryText);
      const query = { type, queryText, queryVector, filter: null, limit, regularize };
      const hits = await vectors.search(embedder.space, tenant, query);
      return hits.map(({ id }) => idOf.get(id) ?? '');
    },
    /** Ranks with hybrid search and Weaviate's defaults: unmodified text and default weights. */
    async rankByDefaults(queryText: string, limit: number): Promise<string[]> {
      const collection = client.collections.use(className(embedder.space)).withTenant(tenant);
      const vector = Array.from(await embedQuery(queryText));
      const found = await collection.query.hybrid(queryText, { vector, limit, queryProperties: ['text'] });
      return found.objects.map(({ uuid }) => idOf.get(uuid) ?? '');
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await vectors.close();
      await embedders.close();
    },
  };
}

/** Opens Weaviate's own client. The caller closes it. */
export function openWeaviateClient({ weaviate }: Config) {
  const rest = new URL(weaviate.url);
  const [grpcHost = '', grpcPort = ''] = weaviate.grpc.split(':');
  return connectToCustom({
    httpHost: rest.hostname,
    httpPort: Number(rest.port),
    httpSecure: rest.protocol === 'https:',
    grpcHost,
    grpcPort: Number(grpcPort),
    grpcSecure: rest.protocol === 'https:',
    ...(weaviate.apiKey === null ? {} : { authCredentials: new ApiKey(weaviate.apiKey) }),
  });
}
