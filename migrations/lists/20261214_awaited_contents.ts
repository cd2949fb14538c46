import type { Knex } from 'knex';
import { createIndexOnline } from './online.ts';

/** Each statement is a transaction of its own: the table stays writable meanwhile, and an interrupted run begins again. */
export const config = { transaction: false };

/**
 * `awaited_content_id`: an upload without work of its own waits for this content, which a run of another upload ingests. It is not
 * complete until then.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table uploads add column if not exists awaited_content_id uuid');
  await createIndexOnline(
    knex,
    'uploads_awaited_content',
    'uploads (awaited_content_id) where awaited_content_id is not null',
  );
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
