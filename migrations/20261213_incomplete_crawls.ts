import type { Knex } from 'knex';

/**
 * A crawl records that a sitemap failed for a while, or that a list of links was cut at a limit. It has not seen the whole site then, so
 * pages that it did not find may still exist.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table crawls add column if not exists is_incomplete boolean not null default false`);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
