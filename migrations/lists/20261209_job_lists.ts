import type { Knex } from 'knex';
import { createIndexOnline, dropIndexOnline } from './online.ts';

/** Each statement is a transaction of its own: the tables stay writable meanwhile, and an interrupted run begins again. */
export const config = { transaction: false };

/**
 * Deletions, compressions and changes of embedders in the order of lists: of those who reach them, by kind and status. All begin with
 * the workspace, by whose correlation with the order of the rows the planner estimates them alike.
 */
export async function up(knex: Knex): Promise<void> {
  for (const [name, definition] of Object.entries(INDEXES)) await createIndexOnline(knex, name, definition);
  await dropIndexOnline(knex, 'reembeddings_of_workspace');
}

const INDEXES = {
  deletions_of_workspace: 'deletions (workspace_id, kind, status, created_at, id)',
  deletions_of_collection:
    'deletions (workspace_id, collection_id, kind, status, created_at, id) where collection_id is not null',
  deletions_of_creator: 'deletions (workspace_id, created_by, kind, status, created_at, id)',
  deletions_of_user: 'deletions (workspace_id, user_id, kind, status, created_at, id) where user_id is not null',
  compressions_of_workspace: 'compressions (workspace_id, status, created_at, id)',
  compressions_of_creator: 'compressions (workspace_id, created_by, status, created_at, id)',
  reembeddings_of_workspace_listed: 'reembeddings (workspace_id, status, created_at, id)',
  reembeddings_of_collection_listed: 'reembeddings (workspace_id, collection_id, status, created_at, id)',
};

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
