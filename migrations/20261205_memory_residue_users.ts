import type { Knex } from 'knex';
import { createIndexOnline, dropIndexOnline } from './lists/online.ts';

/** Each statement is a transaction of its own: large tables stay writable meanwhile, and an interrupted run begins again. */
export const config = { transaction: false };

/**
 * A residue knows whose memory it was: the deletion of a user removes and verifies also the objects of memories that were deleted
 * one by one just before.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table memory_residues add column if not exists user_id text`);
  await knex.raw(`update memory_residues r set user_id = d.user_id from deletions d
    where d.id = r.deletion_id and r.user_id is null`);
  const definition = 'memory_residues (workspace_id, user_id, memory_id) where user_id is not null';
  await createIndexOnline(knex, 'memory_residues_of_user', definition);
  await dropIndexOnline(knex, 'memory_residues_of_deletion');
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
