import type { Knex } from 'knex';

/** A reindexing names contents of which the embedder rejects a text: without it, one such text stopped the rebuild of a whole workspace. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table reindexings add column if not exists rejected_contents uuid[] not null default '{}'`);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
