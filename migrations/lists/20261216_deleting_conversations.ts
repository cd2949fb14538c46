import type { Knex } from 'knex';
import { createIndexOnline } from './online.ts';

/** Not in a transaction: the table stays writable meanwhile. */
export const config = { transaction: false };

/** `is_deleting`: the conversation is being deleted, a page of its messages at a time; only the deletion sees it any more. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table conversations add column if not exists is_deleting boolean not null default false');
  await createIndexOnline(knex, 'conversations_deleting', 'conversations (id) where is_deleting');
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
