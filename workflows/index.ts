/** Every workflow, by the name under which it is started. */
export { compressText } from './compress-text.ts';
export { crawlSite } from './crawl-site.ts';
export { deleteCollection } from './delete-collection.ts';
export { deleteContent } from './delete-content.ts';
export { deleteParts } from './delete-parts.ts';
export { deliverToReceiver } from './deliver-to-receiver.ts';
export { deliverWebhook } from './deliver-webhook.ts';
export { deleteWorkspace } from './delete-workspace.ts';
export { extractMemories } from './extract-memories.ts';
// The names say which steps an execution takes: see `isCurrentEdition`.
export { forgetUser } from './memories/forget-user.ts';
export { ingestBatch, ingestBatch as ingestBatchV2 } from './ingest-batch.ts';
export { ingestUpload, ingestUpload as ingestUploadV2 } from './ingest-upload.ts';
export { oauthRefresh } from './oauth-refresh.ts';
export { refreshDueConnections } from './refresh-due-connections.ts';
export { reembedCollection } from './reembed-collection.ts';
export { reindexWorkspace } from './reindex-workspace.ts';
export { reprojectContents } from './reproject-contents.ts';
export { summariseConversation } from './summarise-conversation.ts';
