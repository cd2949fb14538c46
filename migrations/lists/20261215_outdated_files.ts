import type { Knex } from 'knex';

/**
 * `is_file_outdated`: the content was given another URL, and its file is still that of the URL before. It is downloaded before the
 * content is read again.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table contents add column if not exists is_file_outdated boolean not null default false');
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
