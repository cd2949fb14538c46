import type { Knex } from 'knex';
import { createIndexOnline } from './lists/online.ts';

/** Each statement is a transaction of its own: large tables stay writable meanwhile, and an interrupted run begins again. */
export const config = { transaction: false };

/**
 * The deletion of all memories of a user: whose, and up to which creation time. A residue knows the deletion that left it, which
 * counts index objects by it. Messages of a user that memories are still to be extracted from are found by an index.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table deletions add column if not exists user_id text,
    add column if not exists memories_until timestamptz`);
  await knex.raw(`alter table memory_residues add column if not exists deletion_id uuid`);
  for (const [name, definition] of Object.entries(INDEXES)) await createIndexOnline(knex, name, definition);
}

const INDEXES = {
  memory_residues_of_deletion: `memory_residues (deletion_id, memory_id) where deletion_id is not null`,
  messages_to_extract: `messages (workspace_id, memory_user_id) where memory_user_id is not null`,
};

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
