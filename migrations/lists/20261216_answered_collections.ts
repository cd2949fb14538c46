import type { Knex } from 'knex';

/**
 * `answered_collections`: those of the collections of a conversation from which an answer in it was written. They are removed only when
 * they are named.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `alter table conversations add column if not exists answered_collections uuid[] not null default '{}'`,
  );
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
