import { createApiKeyStore, type ApiKeyStore } from '#store/access/api-keys.ts';
import { createBlobRowStore, type BlobRowStore } from '#store/blobs/blob-rows.ts';
import { createChunkStore, type ChunkStore } from '#store/contents/chunks.ts';
import { createCollectionChanges, type CollectionChanges } from '#store/collections/collection-changes.ts';
import { createCollectionDeletions, type CollectionDeletions } from '#store/collections/collection-deletions.ts';
import { createCollectionStore, type CollectionStore } from '#store/collections/collections.ts';
import { createGenerationStore, type GenerationStore } from '#store/collections/generations.ts';
import { createCompressionStore, type CompressionStore } from '#store/compression/compressions.ts';
import { createConnectionStore, type ConnectionStore } from '#store/connections/connections.ts';
import { createContentChanges, type ContentChanges } from '#store/contents/content-changes.ts';
import { createContentStore, type ContentStore } from '#store/contents/contents.ts';
import { createCrawlContentStore, type CrawlContentStore } from '#store/crawls/crawl-contents.ts';
import { createCrawlFrontier, type CrawlFrontier } from '#store/crawls/crawl-frontier.ts';
import { createCrawlPageStore, type CrawlPageStore } from '#store/crawls/crawl-pages.ts';
import { createCrawlStore, type CrawlStore } from '#store/crawls/crawls.ts';
import { createCredentialStore, type CredentialStore } from '#store/connections/credentials.ts';
import {
  createConversationDeletions,
  type ConversationDeletions,
} from '#store/conversations/conversation-deletions.ts';
import { createConversationStore, type ConversationStore } from '#store/conversations/conversations.ts';
import { createDeletionStore, type DeletionStore } from '#store/contents/deletions.ts';
import { createDroppedTenants, type DroppedTenants } from '#store/index/dropped-tenants.ts';
import { createTenantActivityStore, type TenantActivityStore } from '#store/index/tenant-activity.ts';
import { createExistingContents, type ExistingContents } from '#store/contents/existing-contents.ts';
import { createIdempotencyStore, type IdempotencyStore } from './idempotency.ts';
import { createOAuthClientStore, type OAuthClientStore } from '#store/connections/oauth-clients.ts';
import { createOAuthStateStore, type OAuthStateStore } from '#store/connections/oauth-states.ts';
import { createOutboxStore, type OutboxStore } from '#store/outbox/outbox.ts';
import { createMemoryStore, type MemoryStore } from '#store/memories/memories.ts';
import { createMemoryProjectionStore, type MemoryProjectionStore } from '#store/memories/memory-projections.ts';
import { createMemorySupersessions, type MemorySupersessions } from '#store/memories/memory-supersessions.ts';
import { createMessageStore, type MessageStore } from '#store/conversations/messages.ts';
import { createEntryRemovals, type EntryRemovals } from '#store/archives/entry-removals.ts';
import { createEntryStore, type EntryStore } from '#store/archives/entries.ts';
import type { Database } from './postgres.ts';
import { translatePostgresError } from './postgres-errors.ts';
import { createProjectionStore, type ProjectionStore } from '#store/index/projections.ts';
import { createPublicationStore, type PublicationStore } from '#store/uploads/publications.ts';
import { createCredentialRefreshStore, type CredentialRefreshStore } from '#store/connections/credential-refresh.ts';
import { createBuiltContents, type BuiltContents } from '#store/index/built-contents.ts';
import { createReembeddings, type Reembeddings } from '#store/index/reembeddings.ts';
import { createReindexings, type Reindexings } from '#store/index/reindexings.ts';
import { createUnknownObjects, type UnknownObjects } from '#store/index/unknown-objects.ts';
import { createRunControl, type RunControl } from '#store/uploads/run-control.ts';
import { createRunStages, type RunStages } from '#store/uploads/run-stages.ts';
import { createSystemStore, type SystemStore } from './system.ts';
import { createMemberStore, type MemberStore } from '#store/workspaces/members.ts';
import { createUserMemories, type UserMemories } from '#store/memories/user-memories.ts';
import { createUploadLists, type UploadLists } from '#store/uploads/upload-lists.ts';
import { createUploadStore, type UploadStore } from '#store/uploads/uploads.ts';
import { createWakeUpStore, type WakeUpStore } from '#store/outbox/wake-ups.ts';
import { createWebhookAttempts, type WebhookAttempts } from '#store/webhooks/webhook-attempts.ts';
import { createWebhookDeliveries, type WebhookDeliveries } from '#store/webhooks/webhook-deliveries.ts';
import { createWebhookEvents, type WebhookEvents } from '#store/webhooks/webhook-events.ts';
import { createWebhookQueue, type WebhookQueue } from '#store/webhooks/webhook-queue.ts';
import { createWebhookReceivers, type WebhookReceivers } from '#store/webhooks/webhook-receivers.ts';
import { createWebhookUpkeep, type WebhookUpkeep } from '#store/webhooks/webhook-upkeep.ts';
import { createWebhookStore, type WebhookStore } from '#store/webhooks/webhooks.ts';
import { createWorkspaceDeletions, type WorkspaceDeletions } from '#store/workspaces/workspace-deletions.ts';
import { createWorkspaceTenants, type WorkspaceTenants } from '#store/workspaces/workspace-tenants.ts';
import { createWorkspaceStore, type WorkspaceStore } from '#store/workspaces/workspaces.ts';

/** All stores of Postgres. */
export type Stores = {
  collections: CollectionStore;
  collectionChanges: CollectionChanges;
  generations: GenerationStore;
  collectionDeletions: CollectionDeletions;
  contents: ContentStore;
  contentChanges: ContentChanges;
  existingContents: ExistingContents;
  uploads: UploadStore;
  uploadLists: UploadLists;
  crawls: CrawlStore;
  crawlPages: CrawlPageStore;
  crawlFrontier: CrawlFrontier;
  crawlContents: CrawlContentStore;
  runControl: RunControl;
  runs: RunStages;
  publications: PublicationStore;
  projections: ProjectionStore;
  entries: EntryStore;
  entryRemovals: EntryRemovals;
  reindexings: Reindexings;
  reembeddings: Reembeddings;
  builtContents: BuiltContents;
  unknownObjects: UnknownObjects;
  chunks: ChunkStore;
  blobRows: BlobRowStore;
  apiKeys: ApiKeyStore;
  workspaces: WorkspaceStore;
  workspaceDeletions: WorkspaceDeletions;
  workspaceTenants: WorkspaceTenants;
  members: MemberStore;
  connections: ConnectionStore;
  compressions: CompressionStore;
  credentials: CredentialStore;
  credentialRefreshes: CredentialRefreshStore;
  oauthClients: OAuthClientStore;
  oauthStates: OAuthStateStore;
  deletions: DeletionStore;
  droppedTenants: DroppedTenants;
  tenantActivity: TenantActivityStore;
  conversations: ConversationStore;
  conversationDeletions: ConversationDeletions;
  messages: MessageStore;
  memories: MemoryStore;
  memoryProjections: MemoryProjectionStore;
  memorySupersessions: MemorySupersessions;
  userMemories: UserMemories;
  outbox: OutboxStore;
  wakeUps: WakeUpStore;
  idempotency: IdempotencyStore;
  webhooks: WebhookStore;
  webhookEvents: WebhookEvents;
  webhookDeliveries: WebhookDeliveries;
  webhookAttempts: WebhookAttempts;
  webhookQueue: WebhookQueue;
  webhookReceivers: WebhookReceivers;
  webhookUpkeep: WebhookUpkeep;
  system: SystemStore;
  /** Runs work on stores that share one transaction, which commits when the work returns and rolls back when it throws. */
  transaction<Result>(work: (stores: Stores) => Promise<Result>): Promise<Result>;
};

/** Creates the stores over a pool or a transaction. */
export function createStores(database: Database): Stores {
  return {
    collections: createCollectionStore(database),
    collectionChanges: createCollectionChanges(database),
    generations: createGenerationStore(database),
    collectionDeletions: createCollectionDeletions(database),
    contents: createContentStore(database),
    contentChanges: createContentChanges(database),
    existingContents: createExistingContents(database),
    uploads: createUploadStore(database),
    uploadLists: createUploadLists(database),
    crawls: createCrawlStore(database),
    crawlPages: createCrawlPageStore(database),
    crawlFrontier: createCrawlFrontier(database),
    crawlContents: createCrawlContentStore(database),
    runControl: createRunControl(database),
    runs: createRunStages(database),
    publications: createPublicationStore(database),
    projections: createProjectionStore(database),
    entries: createEntryStore(database),
    entryRemovals: createEntryRemovals(database),
    reindexings: createReindexings(database),
    reembeddings: createReembeddings(database),
    builtContents: createBuiltContents(database),
    unknownObjects: createUnknownObjects(database),
    chunks: createChunkStore(database),
    blobRows: createBlobRowStore(database),
    apiKeys: createApiKeyStore(database),
    workspaces: createWorkspaceStore(database),
    workspaceDeletions: createWorkspaceDeletions(database),
    workspaceTenants: createWorkspaceTenants(database),
    members: createMemberStore(database),
    connections: createConnectionStore(database),
    compressions: createCompressionStore(database),
    credentials: createCredentialStore(database),
    credentialRefreshes: createCredentialRefreshStore(database),
    oauthClients: createOAuthClientStore(database),
    oauthStates: createOAuthStateStore(database),
    deletions: createDeletionStore(database),
    droppedTenants: createDroppedTenants(database),
    tenantActivity: createTenantActivityStore(database),
    conversations: createConversationStore(database),
    conversationDeletions: createConversationDeletions(database),
    messages: createMessageStore(database),
    memories: createMemoryStore(database),
    memoryProjections: createMemoryProjectionStore(database),
    memorySupersessions: createMemorySupersessions(database),
    userMemories: createUserMemories(database),
    outbox: createOutboxStore(database),
    wakeUps: createWakeUpStore(database),
    idempotency: createIdempotencyStore(database),
    webhooks: createWebhookStore(database),
    webhookEvents: createWebhookEvents(database),
    webhookDeliveries: createWebhookDeliveries(database),
    webhookAttempts: createWebhookAttempts(database),
    webhookQueue: createWebhookQueue(database),
    webhookReceivers: createWebhookReceivers(database),
    webhookUpkeep: createWebhookUpkeep(database),
    system: createSystemStore(database),
    transaction: async (work) => {
      try {
        return await database.transaction((transaction) => work(createStores(transaction)));
      } catch (error) {
        throw translatePostgresError(error);
      }
    },
  };
}
