import type { Knex } from 'knex';

/**
 * The bytes of small blobs are in their rows (`LOCI_BLOB_ROW_BYTES`). Those have no place: nothing of them is in the blob store.
 * Adding the column rewrites no row.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table blobs add column bytes bytea`);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
