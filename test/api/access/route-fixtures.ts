import type { Kind } from './matrix-world.ts';

/**
 * How a valid request to every route looks, and which of its inputs are ids: `test/api/access/authorization-matrix.test.ts` makes
 * the whole matrix endpoint × caller of it.
 *
 * Who adds a route adds an entry here, under the route's operation id (the key in `api/routes/index.ts`); without one the
 * matrix fails. Every id goes in as `ref(kind)`, each path parameter, query parameter and body field alone: the matrix puts
 * the caller's own thing there, then one of another workspace, then one that does not exist. A kind of thing that is not
 * here yet is added to `MAKERS` in `matrix-world.ts`, which says how one is made.
 */
export type RouteFixture = {
  path?: Readonly<Record<string, Ref>>;
  query?: Readonly<Record<string, Ref | string>>;
  json?: unknown;
  form?: Readonly<Record<string, Ref | string>>;
  /** Of the valid request; the route's own by default. */
  status?: number;
  /** Of a request with a foreign or absent id at this place (`path.content_id`, `json.collections.0`); 404 by default. */
  outOfReach?: Readonly<Record<string, number>>;
  /**
   * Of any request by a key that is limited to another collection. By default that of the valid request, or where it names
   * something in a collection, that of what is out of reach.
   */
  limited?: number;
  /** After the request its things are gone or changed, so it gets others for each time. */
  destroys?: true;
  /** The valid request is the operator's. */
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

/** A list that filters by something out of reach is a list of nothing. */
const EMPTY = 200;

/** A body that takes ids in several forms has a fixture for each. */
export const routeFixtures: Readonly<Record<string, RouteFixture | readonly RouteFixture[]>> = {
  uploadContent: {
    form: { collection_id: ref('collection'), content: 'another text' },
    outOfReach: { 'form.collection_id': 403 },
  },
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
  // What is ready can neither be paused, resumed, cancelled nor retried.
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
  searchCollection: { json: { collection_id: ref('collection'), query: 'text', search_type: 'keyword' } },
  createCollection: { json: { name: 'another', parent_id: ref('collection') }, limited: 403 },
  listCollections: { query: { parent_id: ref('collection') }, outOfReach: { 'query.parent_id': EMPTY } },
  getCollection: { path: collection },
  updateCollection: { path: collection, json: { name: 'changed', parent_id: ref('parent') } },
  deleteCollection: { path: collection, destroys: true },
  setCollectionStats: { path: collection, json: { readers: 3 } },
  archiveCollection: { path: collection, destroys: true },
  unarchiveCollection: { path: collection },
  getDeletion: { path: { deletion_id: ref('deletion') } },
  listApiKeys: {},
  createApiKey: { json: { permissions: ['collections:read'], collections: [ref('collection')] } },
  getApiKey: { path: apiKey },
  updateApiKey: { path: apiKey, json: { collections: [ref('collection')] }, destroys: true },
  rotateApiKey: { path: apiKey },
  revokeApiKey: { path: apiKey, destroys: true },
  createMemory: { json: { user_id: 'ada', memory: 'likes otters' } },
  searchMemories: { json: { user_id: 'ada', query: 'otters', retrieval_method: 'last_n' } },
  listMemories: { query: { user_id: 'ada' } },
  getMemory: { path: memory },
  updateMemory: { path: memory, json: { user_id: 'ada', topics: ['animals'] } },
  replaceMemory: { path: memory, json: { user_id: 'ada', memory: 'likes seals', topics: [], metadata: {} } },
  deleteMemory: { path: memory, query: { user_id: 'ada' }, destroys: true },
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
  getWebhookSecret: { path: workspace },
  rotateWebhookSecret: { path: workspace },
  createConversation: { json: { title: 'of otters', collections: [ref('collection')] } },
  listConversations: { query: { collection_id: ref('collection') }, outOfReach: { 'query.collection_id': EMPTY } },
  getConversation: { path: conversation },
  updateConversation: { path: conversation, json: { collections: [ref('collection')] } },
  endConversation: { path: conversation, destroys: true },
  archiveConversation: { path: conversation, destroys: true },
  deleteConversation: { path: conversation, destroys: true },
  createMessages: [
    { json: { ...conversation, content: reply } },
    { json: { ...conversation, content: [reply] } },
    { json: [{ ...conversation, content: reply }] },
    { json: [{ ...conversation, content: [reply] }] },
  ],
  listMessages: {
    path: conversation,
    query: { parent_message_id: ref('message') },
    outOfReach: { 'query.parent_message_id': EMPTY },
  },
  compressContext: { json: { content: 'The ferry leaves at noon. When does it leave?', strategy: 'extractive' } },
  getCompression: { path: { job_id: ref('compression') } },
  // Over, or about to be.
  cancelCompression: { path: { job_id: ref('compression') }, status: 409 },
  // Without credentials there is nothing to refresh.
  refreshOAuthToken: { path: connection, status: 409 },
  getRefreshState: { path: connection },
  // Nor a client of its provider.
  authorizeConnection: { path: connection, json: {}, status: 409 },
  listOAuthProviders: {},
  listOAuthClients: {},
  putOAuthClient: {
    path: { provider: ref('providerName') },
    json: { client_id: 'another', token_endpoint: 'https://example.com/token' },
    // A client of this name is the workspace's own.
    outOfReach: { 'path.provider': 200 },
  },
  deleteOAuthClient: { path: { provider: ref('oauthClient') }, destroys: true },
  listModelProviders: {},
  createWorkspace: { json: { name: 'another' }, administrator: true },
  listWorkspaces: {},
  getWorkspace: { path: workspace },
  updateWorkspace: { path: workspace, json: { name: 'renamed' } },
  deleteWorkspace: { path: workspace, limited: 403, destroys: true },
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
