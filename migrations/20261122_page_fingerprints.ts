import type { Knex } from 'knex';

/** What a crawled page says, whatever bytes it says it with: pages that differ at each visit in these only are not taken again. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table crawl_pages add column fingerprint text');
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
