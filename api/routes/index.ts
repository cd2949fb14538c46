import type { Route } from '../http/route.ts';
import { createApiKeyRoute } from './api-keys/create-api-key.ts';
import { getApiKeyRoute } from './api-keys/get-api-key.ts';
import { listApiKeysRoute } from './api-keys/list-api-keys.ts';
import { revokeApiKeyRoute } from './api-keys/revoke-api-key.ts';
import { rotateApiKeyRoute } from './api-keys/rotate-api-key.ts';
import { updateApiKeyRoute } from './api-keys/update-api-key.ts';
import { createChunksRoute } from './chunks/create-chunks.ts';
import { getChunkRoute } from './chunks/get-chunk.ts';
import { listChunksRoute } from './chunks/list-chunks.ts';
import { archiveCollectionRoute, unarchiveCollectionRoute } from './collections/archive-collection.ts';
import { createCollectionRoute } from './collections/create-collection.ts';
import { deleteCollectionRoute } from './collections/delete-collection.ts';
import { getCollectionRoute } from './collections/get-collection.ts';
import { listCollectionsRoute } from './collections/list-collections.ts';
import { searchCollectionRoute } from './collections/search-collection.ts';
import { setCollectionStatsRoute } from './collections/set-collection-stats.ts';
import { updateCollectionRoute } from './collections/update-collection.ts';
import { cancelCompressionRoute } from './compress/cancel-compression.ts';
import { compressContextRoute } from './compress/compress-context.ts';
import { getCompressionRoute } from './compress/get-compression.ts';
import { createConnectionRoute } from './connections/create-connection.ts';
import { deleteConnectionRoute } from './connections/delete-connection.ts';
import { getConnectionRoute } from './connections/get-connection.ts';
import { listConnectionsRoute } from './connections/list-connections.ts';
import { updateConnectionRoute } from './connections/update-connection.ts';
import {
  cancelContentRoute,
  pauseContentRoute,
  resumeContentRoute,
  retryContentRoute,
} from './contents/control-content.ts';
import { deleteContentRoute } from './contents/delete-content.ts';
import { getContentFileRoute } from './contents/get-content-file.ts';
import { getContentTextRoute } from './contents/get-content-text.ts';
import { getContentRoute } from './contents/get-content.ts';
import { listContentChunksRoute } from './contents/list-content-chunks.ts';
import { listContentsRoute } from './contents/list-contents.ts';
import { getDeletionRoute } from './deletions/get-deletion.ts';
import { createConversationRoute } from './conversations/create-conversation.ts';
import { deleteConversationRoute } from './conversations/delete-conversation.ts';
import { getConversationRoute } from './conversations/get-conversation.ts';
import { listConversationsRoute } from './conversations/list-conversations.ts';
import { listMessagesRoute } from './conversations/list-messages.ts';
import { archiveConversationRoute, endConversationRoute } from './conversations/move-conversation.ts';
import { updateConversationRoute } from './conversations/update-conversation.ts';
import { createMemoryRoute } from './memories/create-memory.ts';
import { deleteMemoryRoute } from './memories/delete-memory.ts';
import { getMemoryHistoryRoute } from './memories/get-memory-history.ts';
import { getMemoryRoute } from './memories/get-memory.ts';
import { listMemoriesRoute } from './memories/list-memories.ts';
import { replaceMemoryRoute } from './memories/replace-memory.ts';
import { searchMemoriesRoute } from './memories/search-memories.ts';
import { updateMemoryRoute } from './memories/update-memory.ts';
import { createMessagesRoute } from './messages/create-messages.ts';
import { listModelProvidersRoute } from './integrations/list-model-providers.ts';
import { listProviderModelsRoute } from './integrations/list-provider-models.ts';
import { authorizationCallbackRoute } from './oauth/authorization-callback.ts';
import { authorizeConnectionRoute } from './oauth/authorize-connection.ts';
import { deleteOAuthClientRoute } from './oauth/delete-oauth-client.ts';
import { getRefreshStateRoute } from './oauth/get-refresh-state.ts';
import { listOAuthClientsRoute } from './oauth/list-oauth-clients.ts';
import { listOAuthProvidersRoute } from './oauth/list-oauth-providers.ts';
import { putOAuthClientRoute } from './oauth/put-oauth-client.ts';
import { refreshOAuthTokenRoute } from './oauth/refresh-token.ts';
import { livezRoute, metricsRoute, readyzRoute } from './process/process-routes.ts';
import { cancelUploadRoute, pauseUploadRoute, resumeUploadRoute } from './uploads/control-upload.ts';
import { getUploadRoute } from './uploads/get-upload.ts';
import { updateContentRoute } from './contents/update-content.ts';
import { uploadContentRoute } from './uploads/upload-content.ts';
import { createWebhookRoute } from './webhooks/create-webhook.ts';
import { deleteWebhookRoute } from './webhooks/delete-webhook.ts';
import { getWebhookDeliveryRoute } from './webhooks/get-webhook-delivery.ts';
import { getWebhookRoute } from './webhooks/get-webhook.ts';
import { listWebhookDeliveriesRoute } from './webhooks/list-webhook-deliveries.ts';
import { listWebhooksRoute } from './webhooks/list-webhooks.ts';
import { redeliverWebhookRoute } from './webhooks/redeliver-webhook.ts';
import { rotateWebhookRoute } from './webhooks/rotate-webhook.ts';
import { testWebhookRoute } from './webhooks/test-webhook.ts';
import { updateWebhookRoute } from './webhooks/update-webhook.ts';
import { addMemberRoute } from './workspaces/add-member.ts';
import { createWorkspaceKeyRoute } from './workspaces/create-workspace-key.ts';
import { createWorkspaceRoute } from './workspaces/create-workspace.ts';
import { deleteWorkspaceRoute } from './workspaces/delete-workspace.ts';
import { getWorkspaceRoute } from './workspaces/get-workspace.ts';
import { listMembersRoute } from './workspaces/list-members.ts';
import { listWorkspacesRoute } from './workspaces/list-workspaces.ts';
import { removeMemberRoute } from './workspaces/remove-member.ts';
import { getReindexingRoute, reindexWorkspaceRoute } from './workspaces/reindex-workspace.ts';
import { updateWorkspaceRoute } from './workspaces/update-workspace.ts';
import { getWebhookSecretRoute, rotateWebhookSecretRoute } from './workspaces/webhook-secret.ts';

/** Every route, by its operation id. The first that matches a request serves it. */
export const routes: Readonly<Record<string, Route>> = {
  uploadContent: uploadContentRoute,
  getUpload: getUploadRoute,
  pauseUpload: pauseUploadRoute,
  resumeUpload: resumeUploadRoute,
  cancelUpload: cancelUploadRoute,
  listContents: listContentsRoute,
  getContent: getContentRoute,
  updateContent: updateContentRoute,
  deleteContent: deleteContentRoute,
  listContentChunks: listContentChunksRoute,
  getContentFile: getContentFileRoute,
  getContentText: getContentTextRoute,
  pauseContent: pauseContentRoute,
  resumeContent: resumeContentRoute,
  cancelContent: cancelContentRoute,
  retryContent: retryContentRoute,
  createChunks: createChunksRoute,
  listChunks: listChunksRoute,
  getChunk: getChunkRoute,
  searchCollection: searchCollectionRoute,
  createCollection: createCollectionRoute,
  listCollections: listCollectionsRoute,
  getCollection: getCollectionRoute,
  updateCollection: updateCollectionRoute,
  deleteCollection: deleteCollectionRoute,
  setCollectionStats: setCollectionStatsRoute,
  archiveCollection: archiveCollectionRoute,
  unarchiveCollection: unarchiveCollectionRoute,
  getDeletion: getDeletionRoute,
  listApiKeys: listApiKeysRoute,
  createApiKey: createApiKeyRoute,
  getApiKey: getApiKeyRoute,
  updateApiKey: updateApiKeyRoute,
  rotateApiKey: rotateApiKeyRoute,
  revokeApiKey: revokeApiKeyRoute,
  createConversation: createConversationRoute,
  listConversations: listConversationsRoute,
  getConversation: getConversationRoute,
  updateConversation: updateConversationRoute,
  endConversation: endConversationRoute,
  archiveConversation: archiveConversationRoute,
  deleteConversation: deleteConversationRoute,
  createMessages: createMessagesRoute,
  listMessages: listMessagesRoute,
  createMemory: createMemoryRoute,
  searchMemories: searchMemoriesRoute,
  listMemories: listMemoriesRoute,
  getMemory: getMemoryRoute,
  updateMemory: updateMemoryRoute,
  replaceMemory: replaceMemoryRoute,
  deleteMemory: deleteMemoryRoute,
  getMemoryHistory: getMemoryHistoryRoute,
  createWorkspace: createWorkspaceRoute,
  listWorkspaces: listWorkspacesRoute,
  getWorkspace: getWorkspaceRoute,
  updateWorkspace: updateWorkspaceRoute,
  deleteWorkspace: deleteWorkspaceRoute,
  reindexWorkspace: reindexWorkspaceRoute,
  getReindexing: getReindexingRoute,
  createWorkspaceKey: createWorkspaceKeyRoute,
  addMember: addMemberRoute,
  listMembers: listMembersRoute,
  removeMember: removeMemberRoute,
  createConnection: createConnectionRoute,
  listConnections: listConnectionsRoute,
  getConnection: getConnectionRoute,
  updateConnection: updateConnectionRoute,
  deleteConnection: deleteConnectionRoute,
  createWebhook: createWebhookRoute,
  listWebhooks: listWebhooksRoute,
  getWebhook: getWebhookRoute,
  updateWebhook: updateWebhookRoute,
  deleteWebhook: deleteWebhookRoute,
  testWebhook: testWebhookRoute,
  rotateWebhook: rotateWebhookRoute,
  listWebhookDeliveries: listWebhookDeliveriesRoute,
  getWebhookDelivery: getWebhookDeliveryRoute,
  redeliverWebhook: redeliverWebhookRoute,
  getWebhookSecret: getWebhookSecretRoute,
  rotateWebhookSecret: rotateWebhookSecretRoute,
  compressContext: compressContextRoute,
  getCompression: getCompressionRoute,
  cancelCompression: cancelCompressionRoute,
  refreshOAuthToken: refreshOAuthTokenRoute,
  getRefreshState: getRefreshStateRoute,
  authorizeConnection: authorizeConnectionRoute,
  authorizationCallback: authorizationCallbackRoute,
  listOAuthProviders: listOAuthProvidersRoute,
  listOAuthClients: listOAuthClientsRoute,
  putOAuthClient: putOAuthClientRoute,
  deleteOAuthClient: deleteOAuthClientRoute,
  listModelProviders: listModelProvidersRoute,
  listProviderModels: listProviderModelsRoute,
  livez: livezRoute,
  readyz: readyzRoute,
  metrics: metricsRoute,
};
