import type { Knex } from 'knex';
import { createIndexOnline } from './online.ts';

/** The statement is a transaction of its own: the table stays writable meanwhile, and an interrupted run begins again. */
export const config = { transaction: false };

/** At the end of a run, its contents whose filter fields are outdated are looked for; of nearly all runs there are none. */
export async function up(knex: Knex): Promise<void> {
  await createIndexOnline(
    knex,
    'content_collections_outdated_runs',
    'content_collections (run_id, content_id) where filters_outdated',
  );
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
