import type { Knex } from 'knex';
import { createIndexOnline, dropIndexOnline } from './online.ts';

/** Each statement is a transaction of its own: the table stays writable meanwhile, and an interrupted run begins again. */
export const config = { transaction: false };

/**
 * The contents of a run that are in progress or paused, in the order in which they are read. The index before it also had those that
 * have ended without being published: of a large run with many of them, a page of what is left read each one.
 */
export async function up(knex: Knex): Promise<void> {
  await createIndexOnline(
    knex,
    'content_collections_in_progress',
    `content_collections (run_id, content_id) where bucket in ('working', 'paused')`,
  );
  await dropIndexOnline(knex, 'content_collections_run');
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
