/** Columns of a receipt that count the rows of a workspace. */
export type CountedColumn = 'contents' | 'chunks' | 'collections' | 'conversations' | 'messages' | 'memories';

/** A table with rows of workspaces, as `parent` in SQL. `children` is a table whose rows belong to those, as `child` in SQL. */
export type WorkspaceTable = {
  table: string;
  counted?: CountedColumn;
  children?: { table: string; on: string; counted?: CountedColumn };
  /** SQL condition under which a row is not removed yet. */
  keepWhile?: string;
};

/**
 * Every table with rows of workspaces, in the order in which a deleted workspace loses them: a table that refers to another
 * comes first. A test compares the list with the schema, so that no table is forgotten.
 */
export const WORKSPACE_TABLES: readonly WorkspaceTable[] = [
  {
    table: 'content_collections',
    children: {
      table: 'chunks',
      on: '(child.content_id, child.collection_id) = (parent.content_id, parent.collection_id)',
      counted: 'chunks',
    },
  },
  { table: 'contents', counted: 'contents' },
  // Changes before the counts to which they are added.
  { table: 'content_count_changes' },
  { table: 'collection_counts' },
  { table: 'upload_counts' },
  { table: 'crawls', children: { table: 'crawl_pages', on: 'child.crawl_id = parent.id' } },
  { table: 'uploads', children: { table: 'upload_contents', on: 'child.upload_id = parent.id' } },
  { table: 'residues' },
  { table: 'reembeddings' },
  // Children before their parents.
  {
    table: 'collections',
    counted: 'collections',
    keepWhile: 'exists (select from collections child where child.parent_id = parent.id)',
  },
  {
    table: 'conversations',
    counted: 'conversations',
    children: { table: 'messages', on: 'child.conversation_id = parent.id', counted: 'messages' },
  },
  {
    table: 'memories',
    counted: 'memories',
    children: { table: 'memory_versions', on: 'child.memory_id = parent.id' },
  },
  { table: 'memory_residues' },
  { table: 'compressions', children: { table: 'compression_windows', on: 'child.compression_id = parent.id' } },
  {
    table: 'webhook_deliveries',
    children: { table: 'webhook_attempts', on: 'child.delivery_id = parent.id' },
  },
  { table: 'webhook_receivers' },
  { table: 'webhook_endpoints' },
  { table: 'webhook_secrets' },
  { table: 'oauth_states' },
  { table: 'oauth_clients' },
  { table: 'connections' },
  { table: 'credential_refreshes' },
  { table: 'credentials' },
  { table: 'sign_in_codes' },
  { table: 'api_keys' },
  { table: 'workspace_members' },
  { table: 'reindexings' },
  { table: 'tenant_activity' },
  { table: 'idempotency_keys' },
  { table: 'wakes' },
  { table: 'deletions', keepWhile: `parent.kind = 'workspace'` },
];

/** Removed separately: with their tenants, with their bytes, with their workflows. */
export const SEPARATELY_REMOVED_TABLES = ['index_generations', 'blobs', 'outbox'] as const;

/**
 * Kept after the deletion: tenants are dropped again for a day, in case a stale worker recreates them, and bytes are deleted once
 * more after an hour; copies of blobs in another store are removed by the next `npm run move-blobs`.
 */
export const RETAINED_TABLES = ['dropped_tenants', 'blob_removals', 'blob_copies'] as const;
