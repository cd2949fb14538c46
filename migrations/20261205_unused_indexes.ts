import type { Knex } from 'knex';
import { dropIndexOnline } from './lists/online.ts';

/** Not in a transaction: the table stays writable meanwhile. */
export const config = { transaction: false };

/** `memories_last_extracted` has the memories of `memories_extracted` that are read, without those that others superseded. */
export async function up(knex: Knex): Promise<void> {
  await dropIndexOnline(knex, 'memories_extracted');
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
