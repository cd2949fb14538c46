import type { Knex } from 'knex';

/**
 * `unlinked_contents`, `unlinked_blobs`: the contents that a deletion removed from collections, and their files, whether or not
 * others have them as well. Receipts show these to callers that do not reach all collections. Null before this migration.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table deletions add column if not exists unlinked_contents int,
    add column if not exists unlinked_blobs int`);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
