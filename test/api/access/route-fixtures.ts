import type { Kind } from './matrix-world.ts';

/**
 * A valid request to every route, and which of its inputs are ids: `test/api/access/authorization-matrix.test.ts` tests every
 * combination of endpoint and caller with it.
 *
 * A new route needs an entry here, under its operation id (the key in `api/routes/index.ts`); without one the matrix fails.
 * Every id in a path parameter, query parameter or body field is written as `ref(kind)`: the matrix inserts the id of the
 * caller's own resource, then one of another workspace, then one that does not exist. A new kind of resource is added to
 * `MAKERS` in `matrix-world.ts`, which creates it.
 */
export type RouteFixture = {
  path?: Readonly<Record<string, Ref>>;
  query?: Readonly<Record<string, Ref | string>>;
  json?: unknown;
  form?: Readonly<Record<string, Ref | string>>;
  /** Status of the valid request; the status of the route by default. */
  status?: number;
  /** Status with a foreign or unknown id at a place (`path.content_id`, `json.collections.0`); 404 by default. */
  outOfReach?: Readonly<Record<string, number>>;
  /**
   * Status for a key that is limited to another collection. By default that of the valid request, or if the request names
   * something in a collection, the one in `outOfReach`.
   */
  limited?: number;
  /** The request deletes or changes its resources, so it gets new ones each time. */
  destroys?: true;
  /** The request changes what it names, although the permission of its route is one to read. */
  writes?: true;
  /** The valid request requires the administrator token. */
  administrator?: true;
};

export type Ref = { readonly ref: Kind };

const ref = (kind: Kind): Ref => ({ ref: kind });

const content = { content_id: ref('content') };
const collection = { collection_id: ref('collection') };
const upload = { upload_id: ref('upload') };
const apiKey = { api_key_id: ref('apiKey') };
const memory = { memory_id: ref('memory') };
const conversation = { conversation_id: ref('conversation') };
const reply = { content: 'so they do', parent_message_id: ref('message') };
const connection = { connection_id: ref('connection') };
const webhook = { webhook_id: ref('webhook') };
const delivery = { delivery_id: ref('delivery') };
const workspace = { workspace_id: ref('workspace') };

/** A list filtered by something out of reach answers 200 with no items. */
const EMPTY = 200;

/** The fixtures by operation id. A body that takes ids in several forms has a fixture for each. */
export const routeFixtures: Readonly<Record<string, RouteFixture | readonly RouteFixture[]>> = {
  uploadContent: {
    form: { collection_id: ref('collection'), content: 'another text' },
    outOfReach: { 'form.collection_id': 403 },
  },
  listUploads: { query: { collection_id: ref('collection') }, outOfReach: { 'query.collection_id': EMPTY } },
  getUpload: { path: upload },
  pauseUpload: { path: upload },
  resumeUpload: { path: upload },
  cancelUpload: { path: upload },
  listContents: {
    query: { collection_id: ref('collection'), linked_to: ref('content') },
    outOfReach: { 'query.collection_id': EMPTY, 'query.linked_to': EMPTY },
  },
  getContent: { path: content },
  updateContent: { path: content, json: { description: 'changed' } },
  deleteContent: { path: content, destroys: true },
  listContentChunks: { path: content, query: { collection_id: ref('collection') } },
  getContentFile: { path: content },
  getContentText: { path: content },
  listContentVersions: { path: content, query: { collection_id: ref('collection') } },
  // A ready content can neither be paused, resumed, cancelled nor retried.
  pauseContent: { path: content, status: 409 },
  resumeContent: { path: content, status: 409 },
  cancelContent: { path: content, status: 409 },
  retryContent: { path: content, status: 409 },
  createChunks: { json: { content_id: ref('content'), collection_id: ref('collection') }, destroys: true },
  listChunks: {
    query: { collection_id: ref('collection'), content_id: ref('content') },
    outOfReach: { 'query.collection_id': EMPTY, 'query.content_id': EMPTY },
  },
  getChunk: { path: { chunk_id: ref('chunk') } },
  searchCollection: [
    { json: { collection_id: ref('collection'), query: 'text', search_type: 'keyword' } },
    { json: { collection_ids: [ref('collection')], query: 'text', search_type: 'keyword' } },
    { json: { collection_ids: [], query: 'text', search_type: 'keyword' } },
  ],
  explainSearch: [
    { json: { content_id: ref('content'), collection_id: ref('collection'), query: 'text', search_type: 'keyword' } },
    { json: { chunk_id: ref('chunk'), query: 'text', search_type: 'keyword' } },
  ],
  createAnswer: [
    { json: { collection_ids: [ref('collection')], query: 'text', search_type: 'keyword' } },
    {
      json: {
        collection_ids: [ref('collection')],
        conversation_id: ref('conversation'),
        query: 'text',
        search_type: 'keyword',
      },
      writes: true,
    },
  ],
  // Its collection is part of a name: see the test of answers.
  createChatCompletion: { json: { model: 'loci', messages: [{ role: 'user', content: 'text' }] } },
  createCollection: { json: { name: 'another', parent_id: ref('collection') }, limited: 403 },
  listCollections: { query: { parent_id: ref('collection') }, outOfReach: { 'query.parent_id': EMPTY } },
  getCollection: { path: collection },
  updateCollection: { path: collection, json: { name: 'changed', parent_id: ref('parent') } },
  deleteCollection: { path: collection, destroys: true },
  setCollectionStats: { path: collection, json: { readers: 3 } },
  archiveCollection: { path: collection, destroys: true },
  unarchiveCollection: { path: collection },
  listDeletions: {},
  getDeletion: { path: { deletion_id: ref('deletion') } },
  listApiKeys: {},
  createApiKey: { json: { permissions: ['collections:read'], collections: [ref('collection')] } },
  getApiKey: { path: apiKey },
  updateApiKey: { path: apiKey, json: { collections: [ref('collection')] }, destroys: true },
  rotateApiKey: { path: apiKey },
  revokeApiKey: { path: apiKey, destroys: true },
  createMemory: { json: { user_id: 'ada', memory: 'likes otters' } },
  createMemories: { json: { memories: [{ user_id: 'ada', memory: 'likes otters' }] } },
  searchMemories: { json: { user_id: 'ada', query: 'otters', retrieval_method: 'last_n' } },
  listMemories: { query: { user_id: 'ada' } },
  exportMemories: { query: { user_id: 'ada' } },
  forgetUser: { query: { user_id: 'ada' }, destroys: true },
  getMemory: { path: memory },
  updateMemory: { path: memory, json: { user_id: 'ada', topics: ['animals'] } },
  replaceMemory: { path: memory, json: { user_id: 'ada', memory: 'likes seals', topics: [], metadata: {} } },
  deleteMemory: { path: memory, destroys: true },
  getMemoryHistory: { path: memory },
  createConnection: { json: { integration: 'tracker', integration_type: 'api' } },
  listConnections: {},
  getConnection: { path: connection },
  updateConnection: { path: connection, json: { label: 'changed' } },
  deleteConnection: { path: connection, destroys: true },
  createWebhook: {
    json: { url: 'https://example.com/hook', events: ['compress.completed'], collections: [ref('collection')] },
    outOfReach: { 'json.collections.0': 404 },
  },
  listWebhooks: {},
  getWebhook: { path: webhook },
  updateWebhook: { path: webhook, json: { description: 'changed', collections: [ref('collection')] }, destroys: true },
  deleteWebhook: { path: webhook, destroys: true },
  testWebhook: { path: webhook },
  rotateWebhook: { path: webhook },
  listWebhookDeliveries: { query: { webhook_id: ref('webhook') }, outOfReach: { 'query.webhook_id': EMPTY } },
  getWebhookDelivery: { path: delivery },
  redeliverWebhook: { path: delivery, destroys: true },
  getWebhookSecret: { path: workspace, limited: 403 },
  rotateWebhookSecret: { path: workspace, limited: 403 },
  createConversation: { json: { title: 'of otters', collections: [ref('collection')] } },
  listConversations: { query: { collection_id: ref('collection') }, outOfReach: { 'query.collection_id': EMPTY } },
  getConversation: { path: conversation },
  updateConversation: [
    { path: conversation, json: { collections: [ref('collection')] } },
    {
      path: conversation,
      json: { title: 'changed', collections: [], removed_collections: [ref('collection')] },
      // What is not in the list cannot be removed from it, whatever it is.
      outOfReach: { 'json.removed_collections.0': 200 },
      destroys: true,
    },
  ],
  endConversation: { path: conversation, destroys: true },
  archiveConversation: { path: conversation, destroys: true },
  deleteConversation: { path: conversation, destroys: true },
  createMessages: [
    { json: { ...conversation, content: reply } },
    { json: { ...conversation, content: [reply] } },
    { json: [{ ...conversation, content: reply }] },
    { json: [{ ...conversation, content: [reply] }] },
    { json: { ...conversation, ...reply } },
    { json: [{ ...conversation, ...reply }] },
  ],
  listMessages: {
    path: conversation,
    query: { parent_message_id: ref('message') },
    outOfReach: { 'query.parent_message_id': EMPTY },
  },
  compressContext: { json: { content: 'The ferry leaves at noon. When does it leave?', strategy: 'extractive' } },
  listCompressions: {},
  getCompression: { path: { job_id: ref('compression') } },
  // The job is already completed.
  cancelCompression: { path: { job_id: ref('compression') }, status: 409 },
  // Without credentials there is nothing to refresh.
  refreshOAuthToken: { path: connection, status: 409 },
  getRefreshState: { path: connection },
  // Its provider has no OAuth client.
  authorizeConnection: { path: connection, json: {}, status: 409 },
  listOAuthProviders: {},
  listOAuthClients: {},
  putOAuthClient: {
    path: { provider: ref('providerName') },
    json: { client_id: 'another', token_endpoint: 'https://example.com/token' },
    // The name is free in every workspace, so the client is created.
    outOfReach: { 'path.provider': 200 },
    limited: 403,
  },
  deleteOAuthClient: { path: { provider: ref('oauthClient') }, limited: 403, destroys: true },
  listModelProviders: {},
  getCurrentCaller: {},
  getServiceFacts: { administrator: true },
  signOut: {},
  createWorkspace: { json: { name: 'another' }, administrator: true },
  listWorkspaces: {},
  getWorkspace: { path: workspace },
  updateWorkspace: { path: workspace, json: { name: 'renamed' }, limited: 403 },
  deleteWorkspace: { path: workspace, limited: 403, destroys: true },
  // The collection has this embedder already.
  reembedCollection: { path: collection, json: { embedding: { provider: 'lexical' } }, status: 200 },
  listReembeddings: {
    query: { collection_id: ref('reembedded') },
    outOfReach: { 'query.collection_id': EMPTY },
  },
  getReembedding: { path: { collection_id: ref('reembedded') } },
  pauseReembedding: { path: { collection_id: ref('reembedded') }, status: 409 },
  resumeReembedding: { path: { collection_id: ref('reembedded') }, status: 409 },
  cancelReembedding: { path: { collection_id: ref('reembedded') }, status: 409 },
  reindexWorkspace: { path: workspace, limited: 403 },
  getReindexing: { path: { workspace_id: ref('reindexed') }, limited: 403 },
  createWorkspaceKey: {
    path: workspace,
    json: { permissions: ['collections:read'], collections: [ref('collection')] },
  },
  addMember: { path: workspace, json: { user_id: 'bob' }, limited: 403 },
  listMembers: { path: workspace },
  removeMember: { path: { ...workspace, user_id: ref('member') }, limited: 403, destroys: true },
};
