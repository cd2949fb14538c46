import type { Knex } from 'knex';

/**
 * Whether the filter fields of a content have changed since its objects in the index of a collection got theirs, or since its run in
 * that collection may have read them. One collection may have them while another does not, and `contents.sync_status`, which was all
 * there was, is also written by clients.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'alter table content_collections add column if not exists filters_outdated boolean not null default false',
  );
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
