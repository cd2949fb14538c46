import type { Knex } from 'knex';

/** Bytes are deleted a second time when no process can still be writing them: how long that takes depends on their size. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table blob_removals add column if not exists size_bytes bigint');
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
