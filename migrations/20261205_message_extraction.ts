import type { Knex } from 'knex';
import { createIndexOnline } from './lists/online.ts';

/** Each statement is a transaction of its own: large tables stay writable meanwhile, and an interrupted run begins again. */
export const config = { transaction: false };

/**
 * How often the chat model failed during the extraction from a message, and the extracted memories of a user in the order in which
 * facts are compared with them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table messages add column if not exists extraction_failures int`);
  const definition = `memories (workspace_id, user_id, created_at desc, id desc)
    where created_by = 'memory-extraction' and superseded_at is null`;
  await createIndexOnline(knex, 'memories_last_extracted', definition);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
