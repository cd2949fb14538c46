import type { Route } from '#api/http/route.ts';
import { getCurrentCallerRoute } from '#api/routes/access/get-current-caller.ts';
import { getSignInMethodsRoute } from '#api/routes/access/get-sign-in-methods.ts';
import { signInRoute } from '#api/routes/access/sign-in.ts';
import { signOutRoute } from '#api/routes/access/sign-out.ts';
import { createAnswerRoute } from '#api/routes/answers/create-answer.ts';
import { createChatCompletionRoute } from '#api/routes/answers/create-chat-completion.ts';
import { createApiKeyRoute } from '#api/routes/api-keys/create-api-key.ts';
import { getApiKeyRoute } from '#api/routes/api-keys/get-api-key.ts';
import { listApiKeysRoute } from '#api/routes/api-keys/list-api-keys.ts';
import { revokeApiKeyRoute } from '#api/routes/api-keys/revoke-api-key.ts';
import { rotateApiKeyRoute } from '#api/routes/api-keys/rotate-api-key.ts';
import { updateApiKeyRoute } from '#api/routes/api-keys/update-api-key.ts';
import { createChunksRoute } from '#api/routes/chunks/create-chunks.ts';
import { getChunkRoute } from '#api/routes/chunks/get-chunk.ts';
import { listChunksRoute } from '#api/routes/chunks/list-chunks.ts';
import { archiveCollectionRoute, unarchiveCollectionRoute } from '#api/routes/collections/archive-collection.ts';
import { createCollectionRoute } from '#api/routes/collections/create-collection.ts';
import { deleteCollectionRoute } from '#api/routes/collections/delete-collection.ts';
import { getCollectionRoute } from '#api/routes/collections/get-collection.ts';
import { listCollectionsRoute } from '#api/routes/collections/list-collections.ts';
import { explainSearchRoute } from '#api/routes/collections/explain-search.ts';
import { searchCollectionRoute } from '#api/routes/collections/search-collection.ts';
import { setCollectionStatsRoute } from '#api/routes/collections/set-collection-stats.ts';
import { updateCollectionRoute } from '#api/routes/collections/update-collection.ts';
import { cancelCompressionRoute } from '#api/routes/compress/cancel-compression.ts';
import { compressContextRoute } from '#api/routes/compress/compress-context.ts';
import { getCompressionRoute } from '#api/routes/compress/get-compression.ts';
import { listCompressionsRoute } from '#api/routes/compress/list-compressions.ts';
import { createConnectionRoute } from '#api/routes/connections/create-connection.ts';
import { deleteConnectionRoute } from '#api/routes/connections/delete-connection.ts';
import { getConnectionRoute } from '#api/routes/connections/get-connection.ts';
import { listConnectionsRoute } from '#api/routes/connections/list-connections.ts';
import { updateConnectionRoute } from '#api/routes/connections/update-connection.ts';
import {
  cancelContentRoute,
  pauseContentRoute,
  resumeContentRoute,
  retryContentRoute,
} from '#api/routes/contents/control-content.ts';
import { deleteContentRoute } from '#api/routes/contents/delete-content.ts';
import { getContentFileRoute } from '#api/routes/contents/get-content-file.ts';
import { getContentTextRoute } from '#api/routes/contents/get-content-text.ts';
import { getContentRoute } from '#api/routes/contents/get-content.ts';
import { listContentChunksRoute } from '#api/routes/contents/list-content-chunks.ts';
import { listContentVersionsRoute } from '#api/routes/contents/list-content-versions.ts';
import { listContentsRoute } from '#api/routes/contents/list-contents.ts';
import { getDeletionRoute } from '#api/routes/deletions/get-deletion.ts';
import { listDeletionsRoute } from '#api/routes/deletions/list-deletions.ts';
import { createConversationRoute } from '#api/routes/conversations/create-conversation.ts';
import { deleteConversationRoute } from '#api/routes/conversations/delete-conversation.ts';
import { getConversationRoute } from '#api/routes/conversations/get-conversation.ts';
import { listConversationsRoute } from '#api/routes/conversations/list-conversations.ts';
import { listMessagesRoute } from '#api/routes/conversations/list-messages.ts';
import { endConversationRoute } from '#api/routes/conversations/end-conversation.ts';
import { archiveConversationRoute } from '#api/routes/conversations/archive-conversation.ts';
import { updateConversationRoute } from '#api/routes/conversations/update-conversation.ts';
import { createMemoriesRoute } from '#api/routes/memories/create-memories.ts';
import { createMemoryRoute } from '#api/routes/memories/create-memory.ts';
import { deleteMemoryRoute } from '#api/routes/memories/delete-memory.ts';
import { exportMemoriesRoute } from '#api/routes/memories/export-memories.ts';
import { forgetUserRoute } from '#api/routes/memories/forget-user.ts';
import { getMemoryHistoryRoute } from '#api/routes/memories/get-memory-history.ts';
import { getMemoryRoute } from '#api/routes/memories/get-memory.ts';
import { listMemoriesRoute } from '#api/routes/memories/list-memories.ts';
import { replaceMemoryRoute } from '#api/routes/memories/replace-memory.ts';
import { searchMemoriesRoute } from '#api/routes/memories/search-memories.ts';
import { updateMemoryRoute } from '#api/routes/memories/update-memory.ts';
import { createMessagesRoute } from '#api/routes/messages/create-messages.ts';
import { listModelProvidersRoute } from '#api/routes/integrations/list-model-providers.ts';
import { listProviderModelsRoute } from '#api/routes/integrations/list-provider-models.ts';
import { authorizationCallbackRoute } from '#api/routes/oauth/authorization-callback.ts';
import { authorizeConnectionRoute } from '#api/routes/oauth/authorize-connection.ts';
import { deleteOAuthClientRoute } from '#api/routes/oauth/delete-oauth-client.ts';
import { getRefreshStateRoute } from '#api/routes/oauth/get-refresh-state.ts';
import { listOAuthClientsRoute } from '#api/routes/oauth/list-oauth-clients.ts';
import { listOAuthProvidersRoute } from '#api/routes/oauth/list-oauth-providers.ts';
import { putOAuthClientRoute } from '#api/routes/oauth/put-oauth-client.ts';
import { refreshOAuthTokenRoute } from '#api/routes/oauth/refresh-token.ts';
import { getServiceFactsRoute } from '#api/routes/process/get-service-facts.ts';
import { livezRoute } from '#api/routes/process/livez.ts';
import { metricsRoute } from '#api/routes/process/metrics.ts';
import { readyzRoute } from '#api/routes/process/readyz.ts';
import { cancelUploadRoute, pauseUploadRoute, resumeUploadRoute } from '#api/routes/uploads/control-upload.ts';
import { getUploadRoute } from '#api/routes/uploads/get-upload.ts';
import { listUploadsRoute } from '#api/routes/uploads/list-uploads.ts';
import { updateContentRoute } from '#api/routes/contents/update-content.ts';
import { uploadContentRoute } from '#api/routes/uploads/upload-content.ts';
import { createWebhookRoute } from '#api/routes/webhooks/create-webhook.ts';
import { deleteWebhookRoute } from '#api/routes/webhooks/delete-webhook.ts';
import { getWebhookDeliveryRoute } from '#api/routes/webhooks/get-webhook-delivery.ts';
import { getWebhookRoute } from '#api/routes/webhooks/get-webhook.ts';
import { listWebhookDeliveriesRoute } from '#api/routes/webhooks/list-webhook-deliveries.ts';
import { listWebhooksRoute } from '#api/routes/webhooks/list-webhooks.ts';
import { redeliverWebhookRoute } from '#api/routes/webhooks/redeliver-webhook.ts';
import { rotateWebhookRoute } from '#api/routes/webhooks/rotate-webhook.ts';
import { testWebhookRoute } from '#api/routes/webhooks/test-webhook.ts';
import { updateWebhookRoute } from '#api/routes/webhooks/update-webhook.ts';
import { addMemberRoute } from '#api/routes/workspaces/add-member.ts';
import { createWorkspaceKeyRoute } from '#api/routes/workspaces/create-workspace-key.ts';
import { createWorkspaceRoute } from '#api/routes/workspaces/create-workspace.ts';
import { deleteWorkspaceRoute } from '#api/routes/workspaces/delete-workspace.ts';
import { getWorkspaceRoute } from '#api/routes/workspaces/get-workspace.ts';
import { listMembersRoute } from '#api/routes/workspaces/list-members.ts';
import { listWorkspacesRoute } from '#api/routes/workspaces/list-workspaces.ts';
import { removeMemberRoute } from '#api/routes/workspaces/remove-member.ts';
import {
  cancelReembeddingRoute,
  getReembeddingRoute,
  pauseReembeddingRoute,
  reembedCollectionRoute,
  resumeReembeddingRoute,
} from '#api/routes/collections/reembed-collection.ts';
import { listReembeddingsRoute } from '#api/routes/collections/list-reembeddings.ts';
import { getReindexingRoute, reindexWorkspaceRoute } from '#api/routes/workspaces/reindex-workspace.ts';
import { updateWorkspaceRoute } from '#api/routes/workspaces/update-workspace.ts';
import { getWebhookSecretRoute, rotateWebhookSecretRoute } from '#api/routes/workspaces/webhook-secret.ts';

/** Every route by its operation id. The first route that matches a request serves it. */
export const routes: Readonly<Record<string, Route>> = {
  uploadContent: uploadContentRoute,
  listUploads: listUploadsRoute,
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
  listContentVersions: listContentVersionsRoute,
  pauseContent: pauseContentRoute,
  resumeContent: resumeContentRoute,
  cancelContent: cancelContentRoute,
  retryContent: retryContentRoute,
  createChunks: createChunksRoute,
  listChunks: listChunksRoute,
  getChunk: getChunkRoute,
  searchCollection: searchCollectionRoute,
  explainSearch: explainSearchRoute,
  createAnswer: createAnswerRoute,
  createChatCompletion: createChatCompletionRoute,
  createCollection: createCollectionRoute,
  listCollections: listCollectionsRoute,
  getCollection: getCollectionRoute,
  updateCollection: updateCollectionRoute,
  deleteCollection: deleteCollectionRoute,
  setCollectionStats: setCollectionStatsRoute,
  archiveCollection: archiveCollectionRoute,
  unarchiveCollection: unarchiveCollectionRoute,
  reembedCollection: reembedCollectionRoute,
  getReembedding: getReembeddingRoute,
  pauseReembedding: pauseReembeddingRoute,
  resumeReembedding: resumeReembeddingRoute,
  cancelReembedding: cancelReembeddingRoute,
  listReembeddings: listReembeddingsRoute,
  listDeletions: listDeletionsRoute,
  getDeletion: getDeletionRoute,
  getCurrentCaller: getCurrentCallerRoute,
  getSignInMethods: getSignInMethodsRoute,
  signIn: signInRoute,
  signOut: signOutRoute,
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
  createMemories: createMemoriesRoute,
  searchMemories: searchMemoriesRoute,
  listMemories: listMemoriesRoute,
  exportMemories: exportMemoriesRoute,
  forgetUser: forgetUserRoute,
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
  listCompressions: listCompressionsRoute,
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
  getServiceFacts: getServiceFactsRoute,
  livez: livezRoute,
  readyz: readyzRoute,
  metrics: metricsRoute,
};
