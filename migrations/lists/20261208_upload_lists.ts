import type { Knex } from 'knex';
import { createIndexOnline, dropIndexOnline } from './online.ts';

/** Each statement is a transaction of its own: the table stays writable meanwhile, and an interrupted run begins again. */
export const config = { transaction: false };

/** The uploads of a collection in the order of lists; it has what the index of the collection alone was for. */
export async function up(knex: Knex): Promise<void> {
  await createIndexOnline(knex, 'uploads_of_collection', 'uploads (collection_id, created_at, id)');
  await dropIndexOnline(knex, 'uploads_collection_id_idx');
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
