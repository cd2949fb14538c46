/** Status rules of contents and their runs. Imported by workflows: no zod, no I/O. */

export const CONTENT_STATUSES = [
  'stored',
  'pending',
  'downloading',
  'reading',
  'splitting',
  'indexing',
  'ready',
  'failed',
  'cancelled',
  'paused',
  'deleting',
] as const;
export type ContentStatus = (typeof CONTENT_STATUSES)[number];

export const SYNC_STATUSES = ['never', 'synced', 'stale', 'error'] as const;
export type SyncStatus = (typeof SYNC_STATUSES)[number];

export const COLLECTION_STATUSES = ['active', 'archived', 'deleting'] as const;
export type CollectionStatus = (typeof COLLECTION_STATUSES)[number];

export const API_KEY_STATUSES = ['active', 'revoked', 'expired'] as const;
export type ApiKeyStatus = (typeof API_KEY_STATUSES)[number];

export const UPLOAD_STATUSES = [
  'stored',
  'running',
  'paused',
  'completed',
  'completed_with_errors',
  'failed',
  'cancelled',
] as const;
export type UploadStatus = (typeof UPLOAD_STATUSES)[number];

export const DELETION_STATUSES = ['pending', 'running', 'completed'] as const;
export type DeletionStatus = (typeof DELETION_STATUSES)[number];

export const REEMBEDDING_STATUSES = [
  'pending',
  'building',
  'paused',
  'switched',
  'cancelling',
  'failing',
  'completed',
  'cancelled',
  'failed',
] as const;
export type ReembeddingStatus = (typeof REEMBEDDING_STATUSES)[number];

/** A content in one of these statuses has no work in progress and changes only on request. */
const SETTLED: ReadonlySet<ContentStatus> = new Set(['stored', 'ready', 'failed', 'cancelled']);

/** True when no work is in progress for a content of this status. */
export function isSettled(status: ContentStatus): boolean {
  return SETTLED.has(status);
}

/** True for the name of a content status. */
export function isContentStatus(text: string): text is ContentStatus {
  return (CONTENT_STATUSES as readonly string[]).includes(text);
}
