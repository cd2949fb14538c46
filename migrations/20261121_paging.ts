import type { Knex } from 'knex';

/** The list of a collection's contents, in the order in which they came into it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`create index on content_collections (collection_id, created_at, content_id)`);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
