import type { Knex } from 'knex';
import { createIndexOnline } from './online.ts';

/** Not in a transaction: the table stays writable meanwhile. */
export const config = { transaction: false };

/** The memories that were extracted last for a user, however many memories a client writes for this user. */
export async function up(knex: Knex): Promise<void> {
  await createIndexOnline(
    knex,
    'memories_extracted',
    `memories (workspace_id, user_id, created_at, id) where created_by = 'memory-extraction'`,
  );
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
