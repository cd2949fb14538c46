import type { ExecutionContext } from 'ava';
import { Collection } from '#domain/records/collection.ts';
import { Content, ContentChunksResponse, type ContentChunk } from '#domain/records/content.ts';
import { Deletion, DeletionAccepted } from '#domain/records/deletion.ts';
import { SearchResponse, type SearchRequest, type SearchResult } from '#domain/records/search.ts';
import { UploadProgress, UploadResponse } from '#domain/records/upload.ts';
import type { ContentStatus } from '#domain/statuses.ts';
import { createPostgres, query, type Database } from '#store/postgres.ts';
import { createStores, type Stores } from '#store/stores.ts';
import { createVectorIndex, type VectorIndex } from '#store/weaviate/vector-index.ts';
import { apiClient, createKey, formFor, type ApiClient } from './api-client.ts';
import { testStack } from './stack.ts';
import { until } from './eventually.ts';

export type Entries = readonly (readonly [string, string | File])[];
type SearchOptions = Partial<Omit<SearchRequest, 'query' | 'collection_id'>>;

/** A collection of a workspace, with the API calls that flow tests use. */
export type Flow = {
  api: ApiClient;
  workspaceId: string;
  collectionId: string;
  /** Uploads and waits until all contents are ready or failed. */
  upload(...entries: Entries): Promise<UploadResponse>;
  /** Uploads without waiting. */
  send(...entries: Entries): Promise<UploadResponse>;
  content(id: string): Promise<Content>;
  chunks(contentId: string): Promise<ContentChunk[]>;
  /** Waits until a content has one of the statuses. @throws Error when it fails instead */
  reach(id: string, ...statuses: ContentStatus[]): Promise<Content>;
  progress(uploadId: string | null): Promise<UploadProgress>;
  control(path: string): Promise<{ status: number; body: unknown }>;
  search(text: string, options?: SearchOptions): Promise<SearchResult[]>;
  /** Deletes a content and waits until the receipt is complete. */
  delete(id: string): Promise<Deletion>;
};

export type FlowOptions = {
  /** A key of a new workspace by default. */
  key?: { key: string; workspaceId: string };
  /** A new collection by default. */
  collectionId?: string;
  /** The embedder of the new collection: `lexical` by default; `preferred` is the default of the instance. */
  embedder?: 'lexical' | 'preferred';
};

/** Starts a flow, by default in a new collection of a new workspace. */
export async function startFlow(options: FlowOptions = {}): Promise<Flow & { key: string }> {
  const { key, workspaceId } = options.key ?? (await createKey());
  const api = apiClient(key);
  const embedding = options.embedder === 'preferred' ? {} : { embedding: { provider: 'lexical' } };
  const collectionId =
    options.collectionId ??
    (await api.post('/collections', Collection, { json: { name: 'flow', ...embedding }, status: 201 })).id;
  return { ...flowIn(api, { workspaceId, collectionId }), key };
}

function flowIn(api: ApiClient, place: { workspaceId: string; collectionId: string }): Flow {
  const { collectionId } = place;
  const content = (id: string) => api.get(`/contents/${id}`, Content);
  return {
    api,
    ...place,
    upload: (...entries) => api.upload(collectionId, entries),
    send: (...entries) => api.post('/upload', UploadResponse, { body: formFor(collectionId, entries), status: 202 }),
    content,
    chunks: async (contentId) => {
      const path = `/contents/${contentId}/chunks?collection_id=${collectionId}&include_embeddings=true`;
      return (await api.get(path, ContentChunksResponse)).chunks;
    },
    reach: async (id, ...statuses) => {
      const last = await until(
        () => content(id),
        ({ status }) => status === 'failed' || statuses.includes(status),
      );
      if (!statuses.includes(last.status)) throw new Error(`${last.name} failed: ${last.status_message}`);
      return last;
    },
    progress: (uploadId) => api.get(`/uploads/${uploadId}`, UploadProgress),
    control: async (path) => {
      const response = await api.send(path, { method: 'POST' });
      return { status: response.status, body: await response.json() };
    },
    search: async (text, asked = {}) => {
      const json = { query: text, collection_id: collectionId, ...asked };
      return (await api.post('/collections/search', SearchResponse, { json })).results;
    },
    delete: async (id) => {
      const { deletion_id } = await api.get(`/contents/${id}`, DeletionAccepted, { method: 'DELETE', status: 202 });
      return until(
        () => api.get(`/deletions/${deletion_id}`, Deletion),
        ({ status }) => status === 'completed',
      );
    },
  };
}

/** The ids of the contents of an upload, in order. @throws Error when no item was accepted */
export function idsOf(upload: UploadResponse): [string, ...string[]] {
  const [first, ...others] = upload.uploads.map((item) => item.content_id);
  if (first === undefined) throw new Error(`no item was accepted: ${JSON.stringify(upload.errors)}`);
  return [first, ...others];
}

export type Insides = {
  database: Database;
  stores: Stores;
  vectors: VectorIndex;
  /** How many chunk rows and index objects of a content exist, of any version. Does not wait for the removal of residues. */
  traces(flow: Flow, contentId: string): Promise<{ rows: number; objects: number }>;
};

/** Connects to the database and the index of the running stack. Closed at the end of the test. */
export function openInsides(t: ExecutionContext): Insides {
  const { databaseUrl, weaviate } = testStack();
  const database = createPostgres({ url: databaseUrl, poolSize: 3, applicationName: 'loci-test' });
  const stores = createStores(database);
  const vectors = createVectorIndex({ ...weaviate, timeoutMs: 20_000 });
  t.teardown(async () => {
    await vectors.close();
    await database.destroy();
  });
  return {
    database,
    stores,
    vectors,
    async traces({ workspaceId, collectionId }, contentId) {
      const found = await stores.collections.findIndex({ workspaceId, collectionIds: null }, collectionId);
      if (!found) throw new Error('there is no such collection');
      const [row] = await query<{ rows: number }>(
        database,
        'select count(*) as rows from chunks where content_id = :contentId and collection_id = :collectionId',
        { contentId, collectionId },
      );
      const objects = await vectors.countObjects(found.index.space, found.index.tenant, { contentId });
      return { rows: row?.rows ?? 0, objects };
    },
  };
}

/** Text that takes a while to ingest: distinct paragraphs, each about one chunk long. */
export function longText(paragraphs: number, topic = 'lighthouse'): string {
  return Array.from({ length: paragraphs }, (_, index) => {
    const words = Array.from({ length: 120 }, (_unused, place) => `w${(index * 7919 + place * 104_729) % 50_021}`);
    return `Paragraph ${index} of the ${topic} record. ${words.join(' ')}.`;
  }).join('\n\n');
}

/** Entries of an upload with `count` files, each of several chunks. */
export function longFiles(count: number): Entries {
  return Array.from({ length: count }, (_, index) => ['files', new File([longText(40)], `${index}.txt`)] as const);
}
