import type { Knex } from 'knex';

/**
 * A memory that a later fact of a conversation contradicts is superseded: by which memory, and since when. It need not exist any
 * more. `stated_at` is when an extracted fact was said, which decides which of two is the later one.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table memories
      add column if not exists superseded_at timestamptz,
      add column if not exists superseded_by uuid,
      add column if not exists stated_at timestamptz
  `);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
