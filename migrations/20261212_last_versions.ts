import type { Knex } from 'knex';

/**
 * A residue knows the last version that its content had in its collection. A content that is deleted from a collection and added again
 * begins after it, so that whoever still removes the deleted versions never removes a new one. Null for residues of before.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table residues add column if not exists last_version int`);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
