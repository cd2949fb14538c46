import { randomUUID } from 'node:crypto';
import { ApiKey, connectToCustom } from 'weaviate-client';
import type { Config } from '#config/index.ts';
import type { SearchType } from '#domain/records/search.ts';
import { createEmbedders } from '#providers/embedders/index.ts';
import { createVectorIndex, type IndexObject } from '#store/weaviate/vector-index.ts';
import { className } from '#store/weaviate/class-definition.ts';
import { type BeirDocument, documentText } from './beir-dataset.ts';

const OBJECTS_AT_ONCE = 500;

/**
 * Whole documents in a tenant of their own, one vector each, cut where the model stops reading: what somebody gets who puts
 * documents into Weaviate without a service around it.
 */
export async function openWeaviateAlone(config: Config, documents: readonly BeirDocument[]) {
  const embedders = await createEmbedders({ ...config.embedder, cacheDir: config.cacheDir });
  const vectors = createVectorIndex({ ...config.weaviate, timeoutMs: 60_000 });
  const { preferred: embedder } = embedders;
  const tenant = `alone-${randomUUID()}`;
  const idOf = new Map(documents.map(({ id }) => [randomUUID() as string, id]));
  const objectIds = [...idOf.keys()];
  await vectors.ensureTenant(embedder.space, tenant);
  for (let start = 0; start < documents.length; start += OBJECTS_AT_ONCE) {
    const texts = documents.slice(start, start + OBJECTS_AT_ONCE).map(documentText);
    const embedded = await embedder.embed(texts, 'document');
    const objects = texts.map((text, place): IndexObject => {
      const id = objectIds[start + place] ?? '';
      return { id, content_id: id, version: 1, text, facets: [], vector: embedded[place] ?? new Float32Array() };
    });
    await vectors.writeObjects(embedder.space, tenant, objects);
  }
  const client = await openWeaviateClient(config);
  const embedQuery = async (text: string) => (await embedder.embed([text], 'query'))[0] ?? new Float32Array();
  return {
    /** With the service's class and its way to ask. */
    async rank(queryText: string, type: SearchType, limit: number): Promise<string[]> {
      const queryVector = type === 'keyword' ? null : await embedQuery(queryText);
      const hits = await vectors.search(embedder.space, tenant, { type, queryText, queryVector, filter: null, limit });
      return hits.map(({ id }) => idOf.get(id) ?? '');
    },
    /** Hybrid with nothing set: text as it is, Weaviate's own weights. */
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

/** Weaviate's own client, with nothing of the service around it. Close it. */
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
