import type { Knex } from 'knex';
import * as archives from './20261122_archives.ts';
import * as keptTexts from './20261122_kept_texts.ts';
import * as pageFingerprints from './20261122_page_fingerprints.ts';
import * as access from './20261121_access.ts';
import * as compression from './20261121_compression.ts';
import * as conversations from './20261121_conversations.ts';
import * as crawls from './20261121_crawls.ts';
import * as foundation from './20261121_foundation.ts';
import * as library from './20261121_library.ts';
import * as memories from './20261121_memories.ts';
import * as oauth from './20261121_oauth.ts';
import * as memoryTurns from './20261121_memory_turns.ts';
import * as paging from './20261121_paging.ts';
import * as reindexing from './20261121_reindexing.ts';
import * as wakes from './20261122_wakes.ts';
import * as memos from './20261123_memos.ts';
import * as webhookReceivers from './20261123_webhook_receivers.ts';
import * as rowSpace from './20261124_row_space.ts';
import * as rowSecurity from './20261125_row_security.ts';
import * as blobPlaces from './20261127_blob_places.ts';
import * as blobRemovalAttempts from './20261130_blob_removal_attempts.ts';
import * as reindexingParts from './20261201_reindexing_parts.ts';
import * as reembeddings from './20261202_reembeddings.ts';
import * as sharedByProcesses from './20261128_shared_by_processes.ts';
import * as contentCounts from './lists/20261126_content_counts.ts';
import * as listIndexes from './lists/20261126_list_indexes.ts';
import * as memorySupersessions from './20261204_memory_supersessions.ts';
import * as outboxTraces from './20261129_outbox_traces.ts';
import * as tenantActivity from './index/20261129_tenant_activity.ts';
import * as userDeletions from './20261204_user_deletions.ts';
import * as userExtractions from './lists/20261204_user_extractions.ts';
import * as memoryResidueUsers from './20261205_memory_residue_users.ts';
import * as messageExtraction from './20261205_message_extraction.ts';
import * as unusedIndexes from './20261205_unused_indexes.ts';
import * as knownGenerations from './20261206_known_generations.ts';
import * as blobBytes from './20261210_blob_bytes.ts';
import * as signInCodes from './20261207_sign_in_codes.ts';
import * as webhooks from './20261121_webhooks.ts';
import * as workspaces from './20261121_workspaces.ts';
import * as rowSecurityOfAllTables from './20261210_row_security_of_all_tables.ts';
import * as contentVersions from './20261210_content_versions.ts';
import * as jobLists from './lists/20261209_job_lists.ts';
import * as countMoves from './lists/20261210_count_moves.ts';
import * as runIndexes from './lists/20261211_run_indexes.ts';
import * as lastVersions from './20261212_last_versions.ts';
import * as runsInProgress from './lists/20261212_runs_in_progress.ts';
import * as uploadLists from './lists/20261208_upload_lists.ts';
import * as workspaceTurns from './20261212_workspace_turns.ts';
import * as incompleteCrawls from './20261213_incomplete_crawls.ts';
import * as outdatedFilters from './20261213_outdated_filters.ts';
import * as rejectedContents from './20261213_rejected_contents.ts';
import * as waitingReceivers from './20261213_waiting_receivers.ts';
import * as outdatedRuns from './lists/20261214_outdated_runs.ts';
import * as awaitedContents from './lists/20261214_awaited_contents.ts';
import * as deletedLinks from './lists/20261214_deleted_links.ts';
import * as outdatedFiles from './lists/20261215_outdated_files.ts';
import * as answeredCollections from './lists/20261216_answered_collections.ts';
import * as deletingConversations from './lists/20261216_deleting_conversations.ts';
import * as indexEpochs from './20261218_index_epochs.ts';
import * as removedSizes from './20261218_removed_sizes.ts';
import * as unlinkedCounts from './lists/20261217_unlinked_counts.ts';
import * as titleSearch from './lists/20261221_title_search.ts';

type Migration = {
  name: string;
  up: (knex: Knex) => Promise<void>;
  down: (knex: Knex) => Promise<void>;
  config?: { transaction: boolean };
};

/** Every migration in order. They are imported, not read from a folder at run time. Landed migrations are never edited. */
const MIGRATIONS: readonly Migration[] = [
  { name: '20261121_foundation', ...foundation },
  { name: '20261121_library', ...library },
  { name: '20261121_memories', ...memories },
  { name: '20261121_access', ...access },
  { name: '20261121_conversations', ...conversations },
  { name: '20261121_paging', ...paging },
  { name: '20261121_webhooks', ...webhooks },
  { name: '20261121_workspaces', ...workspaces },
  { name: '20261121_oauth', ...oauth },
  { name: '20261121_compression', ...compression },
  { name: '20261121_memory_turns', ...memoryTurns },
  { name: '20261121_reindexing', ...reindexing },
  { name: '20261121_crawls', ...crawls },
  { name: '20261122_archives', ...archives },
  { name: '20261122_kept_texts', ...keptTexts },
  { name: '20261122_page_fingerprints', ...pageFingerprints },
  { name: '20261122_wakes', ...wakes },
  { name: '20261123_memos', ...memos },
  { name: '20261123_webhook_receivers', ...webhookReceivers },
  { name: '20261124_row_space', ...rowSpace },
  { name: '20261125_row_security', ...rowSecurity },
  { name: '20261126_content_counts', ...contentCounts },
  { name: '20261126_list_indexes', ...listIndexes },
  { name: '20261127_blob_places', ...blobPlaces },
  { name: '20261128_shared_by_processes', ...sharedByProcesses },
  { name: '20261129_outbox_traces', ...outboxTraces },
  { name: '20261129_tenant_activity', ...tenantActivity },
  { name: '20261130_blob_removal_attempts', ...blobRemovalAttempts },
  { name: '20261201_reindexing_parts', ...reindexingParts },
  { name: '20261202_reembeddings', ...reembeddings },
  { name: '20261204_memory_supersessions', ...memorySupersessions },
  { name: '20261204_user_deletions', ...userDeletions },
  { name: '20261204_user_extractions', ...userExtractions },
  { name: '20261205_memory_residue_users', ...memoryResidueUsers },
  { name: '20261205_message_extraction', ...messageExtraction },
  { name: '20261205_unused_indexes', ...unusedIndexes },
  { name: '20261206_known_generations', ...knownGenerations },
  { name: '20261207_sign_in_codes', ...signInCodes },
  { name: '20261208_upload_lists', ...uploadLists },
  { name: '20261209_job_lists', ...jobLists },
  { name: '20261210_blob_bytes', ...blobBytes },
  { name: '20261210_content_versions', ...contentVersions },
  { name: '20261210_count_moves', ...countMoves },
  { name: '20261210_row_security_of_all_tables', ...rowSecurityOfAllTables },
  { name: '20261211_run_indexes', ...runIndexes },
  { name: '20261212_last_versions', ...lastVersions },
  { name: '20261212_runs_in_progress', ...runsInProgress },
  { name: '20261212_workspace_turns', ...workspaceTurns },
  { name: '20261213_incomplete_crawls', ...incompleteCrawls },
  { name: '20261213_outdated_filters', ...outdatedFilters },
  { name: '20261213_rejected_contents', ...rejectedContents },
  { name: '20261213_waiting_receivers', ...waitingReceivers },
  { name: '20261214_awaited_contents', ...awaitedContents },
  { name: '20261214_deleted_links', ...deletedLinks },
  { name: '20261214_outdated_runs', ...outdatedRuns },
  { name: '20261215_outdated_files', ...outdatedFiles },
  { name: '20261216_answered_collections', ...answeredCollections },
  { name: '20261216_deleting_conversations', ...deletingConversations },
  { name: '20261217_unlinked_counts', ...unlinkedCounts },
  { name: '20261218_index_epochs', ...indexEpochs },
  { name: '20261218_removed_sizes', ...removedSizes },
  { name: '20261221_title_search', ...titleSearch },
];

/** For `knex.migrate`. */
export const migrationSource: Knex.MigrationSource<Migration> = {
  getMigrations: () => Promise.resolve([...MIGRATIONS]),
  getMigrationName: (migration) => migration.name,
  getMigration: (migration) => Promise.resolve(migration),
};
