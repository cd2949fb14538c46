/** What a receipt counts of a workspace. */
export type CountedRows = 'contents' | 'chunks' | 'collections' | 'conversations' | 'messages' | 'memories';

/** A table with rows of workspaces; `parts` is one whose rows belong to those, and are found by them. */
export type WorkspaceRows = {
  table: string;
  counted?: CountedRows;
  parts?: { table: string; on: string; counted?: CountedRows };
  /** What is not removed yet, in terms of `whole`. */
  unless?: string;
};

/**
 * Every table with rows of workspaces, in the order in which a deleted workspace loses them: what refers to another goes before
 * it. A test compares it with the schema, so that no table is forgotten.
 */
export const WORKSPACE_ROWS: readonly WorkspaceRows[] = [
  {
    table: 'content_collections',
    parts: {
      table: 'chunks',
      on: '(part.content_id, part.collection_id) = (whole.content_id, whole.collection_id)',
      counted: 'chunks',
    },
  },
  { table: 'contents', counted: 'contents' },
  { table: 'crawls', parts: { table: 'crawl_pages', on: 'part.crawl_id = whole.id' } },
  { table: 'uploads', parts: { table: 'upload_contents', on: 'part.upload_id = whole.id' } },
  { table: 'residues' },
  // From the leaves up.
  {
    table: 'collections',
    counted: 'collections',
    unless: 'exists (select from collections child where child.parent_id = whole.id)',
  },
  {
    table: 'conversations',
    counted: 'conversations',
    parts: { table: 'messages', on: 'part.conversation_id = whole.id', counted: 'messages' },
  },
  {
    table: 'memories',
    counted: 'memories',
    parts: { table: 'memory_versions', on: 'part.memory_id = whole.id' },
  },
  { table: 'memory_residues' },
  { table: 'compressions', parts: { table: 'compression_windows', on: 'part.compression_id = whole.id' } },
  {
    table: 'webhook_deliveries',
    parts: { table: 'webhook_attempts', on: 'part.delivery_id = whole.id' },
  },
  { table: 'webhook_origins' },
  { table: 'webhook_endpoints' },
  { table: 'webhook_secrets' },
  { table: 'oauth_states' },
  { table: 'oauth_clients' },
  { table: 'connections' },
  { table: 'credential_refreshes' },
  { table: 'credentials' },
  { table: 'api_keys' },
  { table: 'workspace_members' },
  { table: 'reindexings' },
  { table: 'idempotency_keys' },
  { table: 'wakes' },
  { table: 'deletions', unless: `whole.kind = 'workspace'` },
];

/** Removed in ways of their own: with their tenants, with their bytes, with their workflows. */
export const ROWS_WITH_MORE = ['index_generations', 'blobs', 'outbox'] as const;

/** What outlives a workspace: the receipt of its deletion, and for a day its tenants, lest a worker brings them back. */
export const OUTLIVING_ROWS = ['dropped_tenants'] as const;
