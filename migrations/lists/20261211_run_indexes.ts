import type { Knex } from 'knex';
import { createIndexOnline, dropIndexOnline } from './online.ts';

/** Each statement is a transaction of its own: the table stays writable meanwhile, and an interrupted run begins again. */
export const config = { transaction: false };

/**
 * What each text is written to. The runs of an upload are found by its contents (`upload_contents`), those of a run only while they
 * are in progress, and nobody asks for the uploads of a content.
 * Contents of a workspace with a status that few have are found in their order, and no longer collection by collection. Publishing
 * writes a content to every index of its runs once more, so each one less counts twice.
 */
export async function up(knex: Knex): Promise<void> {
  await createIndexOnline(knex, 'content_collections_run', `${TABLE} (run_id, content_id) where bucket is not null`);
  await createIndexOnline(
    knex,
    'content_collections_status',
    `${TABLE} (workspace_id, bucket, created_at, content_id) where bucket is not null`,
  );
  for (const name of REPLACED) await dropIndexOnline(knex, name);
}

const TABLE = 'content_collections';
const REPLACED = [
  'content_collections_run_id_content_id_idx',
  'content_collections_upload_id_content_id_idx',
  'upload_contents_content_id_idx',
];

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
